"""Output on a terminal: a progress bar and a plot of curves."""

import sys
import time
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from balanced_bandits.plan.running import duration

REFRESH = 0.1  # seconds between two updates of the bar
BAR = 30  # characters


class Progress:
    """A progress bar with the time left, on standard error; shows nothing if that is not a terminal.

    The clock starts at the first report, so that one-time work such as compilation does not distort the time left.
    """

    def __init__(self, total: int, what: str, stream: TextIO | None = None) -> None:
        self.total, self.what = total, what
        self.stream = stream or sys.stderr
        self._shown = self.stream.isatty()
        self._first: tuple[int, float] | None = None
        self._last = 0.0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self.stream.write("\r\033[K")
            self.stream.flush()

    def report(self, done: int) -> None:
        """Report that ``done`` of the total are done."""
        now = time.monotonic()
        if self._first is None:
            self._first = done, now
        if not self._shown or (now - self._last < REFRESH and done < self.total):
            return
        self._last = now
        self.stream.write("\r\033[K" + self.line(done, now))
        self.stream.flush()

    def line(self, done: int, now: float) -> str:
        """The bar when ``done`` of the total are done, at time ``now`` of the monotonic clock."""
        first, start = self._first or (done, now)
        filled = BAR * done // self.total
        left = "" if done == first else f", {duration((now - start) / (done - first) * (self.total - done))} left"
        return f"[{'#' * filled}{'.' * (BAR - filled)}] {done:,} of {self.total:,} {self.what}{left}"


def plot(curves: dict[str, NDArray[np.float64]], width: int = 60, height: int = 12) -> str:
    """A plot of curves over the rounds 1 to n, each drawn with its own character; the first one is on top.

    >>> print(plot({"*": np.array([0.0, 0.8, 2.0, 2.0]), ".": np.array([1.1, 2.0, 3.2, 4.0])}, width=4, height=3))
         4 |  ..
         2 |..**
         0 |**
           +----
            1  4
    """
    rounds = len(next(iter(curves.values())))
    columns = min(width, rounds)
    at = np.linspace(0, rounds - 1, columns).round().astype(int)
    top = max(float(max(curve[at].max() for curve in curves.values())), 1e-9)
    canvas = [[" "] * columns for _ in range(height)]
    for mark, curve in reversed(curves.items()):
        for column, value in enumerate(curve[at]):
            canvas[round(float(value) / top * (height - 1))][column] = mark
    labels = {0: "0", height // 2: f"{top * (height // 2) / (height - 1):.4g}", height - 1: f"{top:.4g}"}
    lines = [f"{labels.get(i, ''):>6} |{''.join(canvas[i]).rstrip()}" for i in range(height - 1, -1, -1)]
    ends = f"1{rounds:>{columns - 1}}" if columns > 1 else "1"
    return "\n".join([*lines, f"{'':>6} +{'-' * columns}", f"{'':>6}  {ends}"])
