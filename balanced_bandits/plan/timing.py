"""Predicted and actual time and memory of classification jobs."""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from balanced_bandits.core.tables import read_table
from balanced_bandits.plan import cost


def timing(datasets: Path, plays: dict[str, int], folder: Path) -> pd.DataFrame:
    """One row per job with a benchmark in ``folder``, the slowest first.

    ``plays`` maps bandits to the number of runs in their jobs per shuffle. The columns describe the job, then its time
    and memory: predicted_seconds, from the number of columns after encoding; seconds, the wall-clock time; cpu_seconds
    and play_seconds, the CPU time of the whole job and the time in the bandit's own loops according to the job's log;
    predicted_mb and mb. If the log does not have the CPU time, it is the one of the benchmark.
    """
    rows = []
    dataset: Any
    for dataset in read_table(datasets).itertuples():
        for bandit, each in plays.items():
            benchmark = folder / str(dataset.name) / f"{bandit}.tsv"
            if dataset.left_out or not benchmark.exists():
                continue
            took, log = pd.read_csv(benchmark, sep="\t").iloc[0], benchmark.with_suffix(".log")
            cpu = _logged(log, "used {} CPU seconds")
            columns, runs = int(dataset.encoded_columns), each * int(dataset.shuffles)
            size = bandit, dataset.n, columns, dataset.K, runs
            rows.append({
                "dataset": dataset.name, "bandit": bandit, "n": dataset.n, "d": dataset.d, "columns": columns,
                "K": dataset.K, "runs": runs,
                "predicted_seconds": round(cost.seconds(*size), 3), "seconds": took["s"],
                "cpu_seconds": took["cpu_time"] if cpu is None else cpu,
                "play_seconds": _logged(log, "played for {} seconds"),
                "predicted_mb": cost.megabytes(*size), "mb": took["max_rss"],
            })  # fmt: skip
    names = ["dataset", "bandit", "n", "d", "columns", "K", "runs", "predicted_seconds", "seconds", "cpu_seconds",
             "play_seconds", "predicted_mb", "mb"]  # fmt: skip
    return pd.DataFrame(rows, columns=names).sort_values("seconds", ascending=False, kind="stable")


def _logged(log: Path, line: str) -> float | None:
    """The number at {} in the last such line of a job's log, if there is one."""
    text = log.read_text() if log.exists() else ""
    found = re.findall(f"^{line.format('([0-9.]+)')}$", text, flags=re.MULTILINE)
    return float(found[-1]) if found else None


def report(table: pd.DataFrame, slowest: int = 20) -> str:
    """A summary in words: the slowest jobs and the totals."""
    lines = [f"The {min(slowest, len(table))} slowest of {len(table)} jobs (seconds, predicted):"]
    lines += [
        f"  {row.seconds:8.1f} {row.predicted_seconds:8.1f}  {row.bandit} plays {row.dataset} "
        f"(n = {row.n}, columns = {row.columns}, K = {row.K}, {row.runs} runs)"
        for row in table.head(slowest).itertuples()
    ]
    total, played = table["seconds"].sum(), table["play_seconds"].sum()
    outside = 100 * (1 - played / total) if total else 0.0
    lines.append(
        f"All jobs: {total:.0f} seconds, predicted {table['predicted_seconds'].sum():.0f}; {played:.0f} in the "
        f"bandits' loops, {outside:.0f} % outside them; at most {table['mb'].max():.0f} MB."
    )
    return "\n".join(lines)
