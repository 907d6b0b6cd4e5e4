"""Successive halving with children: which readings a rung of the search plays, within a budget of CPU seconds.

The first rung plays the default and readings drawn at random. Each further rung plays more simulations of the best
third of the rung before it, and spends what is left on their children, which combine their levels. The last rung plays
new simulations of the best. Nothing here depends on measured times, so the same scores always lead to the same
readings.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from balanced_bandits.core.streams import stream

SURVIVING = 3  # one in so many readings of a rung is played further
CHILDREN = 10_000  # tried at most; in a small space, most of them were played before
# What a reading that was not played before may cost: a share of the budget of the rung, or twice the default.
LARGEST_SHARE = 0.05


class Space(NamedTuple):
    """The readings to search. A reading has one level in each dimension, and its name is these levels."""

    levels: list[list[str]]  # by dimension
    default: str  # may have other levels
    seed: int

    def drawn(self) -> Iterator[str]:
        """All readings, in a random order."""
        sizes = [len(levels) for levels in self.levels]
        for number in stream(self.seed, "readings", "drawn").permutation(math.prod(sizes)):
            places = []
            for size in sizes:
                number, place = divmod(int(number), size)
                places.append(place)
            yield "-".join(levels[place] for levels, place in zip(self.levels, places, strict=True))

    def children(self, parents: Sequence[str], rung: int) -> Iterator[str]:
        """Readings with each level from one of two parents; every second has in one dimension any level at all.

        The first parents, the best, are drawn more often.
        """
        rng = stream(self.seed, "readings", "children", rung)
        known = [parent.split("-") for parent in parents]
        for number in range(CHILDREN if parents else 0):
            ranks = np.minimum(rng.exponential(len(known) / 4.0, 2).astype(int), len(known) - 1)
            first, second = (known[rank] for rank in ranks)
            coins = rng.integers(0, 2, len(first))
            child = [(one, other)[coin] for one, other, coin in zip(first, second, coins, strict=True)]
            if number % 2:
                place = int(rng.integers(len(child)))
                child[place] = self.levels[place][rng.integers(len(self.levels[place]))]
            yield "-".join(child)


Prices = Callable[[str], Mapping[str, float]]  # the batches of a reading in this rung, with their seconds


class Rung(NamedTuple):
    """The readings of a rung with their prices, in the order of choice, and those that are too costly for it."""

    chosen: dict[str, float]
    too_costly: list[str]


class Purse:
    """The budget of one rung. A batch that was paid for, here or in an earlier rung (``known``), costs nothing more."""

    def __init__(self, seconds: float, prices: Prices, known: Iterable[str] = ()) -> None:
        self.seconds, self.left = seconds, seconds
        self._prices, self._known = prices, set(known)

    def price(self, name: str) -> float:
        """What a reading costs in addition, in seconds."""
        return sum(seconds for batch, seconds in self._prices(name).items() if batch not in self._known)

    def whole_price(self, name: str) -> float:
        """What a reading costs if nothing is paid for yet."""
        return sum(self._prices(name).values())

    def buy(self, name: str, rung: Rung) -> bool:
        """Add a reading to a rung and pay for it, if what is left allows it."""
        price = self.price(name)
        if price > self.left:
            return False
        self.left -= price
        self._known |= set(self._prices(name))
        rung.chosen[name] = price
        return True


def first_rung(space: Space, purse: Purse) -> Rung:
    """The default, then readings at random, until the budget is used up."""
    rung = _bought([space.default], purse)
    _fill(rung, space.drawn(), {space.default}, space, purse)
    return rung


def next_rung(number: int, ranked: Sequence[str], tried: set[str], space: Space, purse: Purse) -> Rung:
    """The best third of the readings of the rung before, ``ranked`` with the best first, and children of them."""
    rung = _bought(ranked[: math.ceil(len(ranked) / SURVIVING)], purse)
    _fill(rung, space.children(list(rung.chosen), number), tried, space, purse)
    return rung


def last_rung(ranked: Sequence[str], space: Space, purse: Purse) -> Rung:
    """The default, to show beside the others, and the best readings of the rung before."""
    return _bought(dict.fromkeys([space.default, *ranked]), purse)


def _bought(names: Iterable[str], purse: Purse) -> Rung:
    """Those of the readings that the budget allows."""
    rung = Rung({}, [])
    rung.too_costly.extend(name for name in names if not purse.buy(name, rung))
    return rung


def _fill(rung: Rung, others: Iterable[str], tried: set[str], space: Space, purse: Purse) -> None:
    """Add new readings until one does not fit into what is left of the budget."""
    largest = max(LARGEST_SHARE * purse.seconds, 2.0 * purse.whole_price(space.default))
    seen = set(tried)
    for name in others:
        if name in seen:
            continue
        seen.add(name)
        if purse.price(name) > largest:
            rung.too_costly.append(name)
        elif not purse.buy(name, rung):
            return


def parts_of(prices: Mapping[str, float], parts: int) -> dict[str, int]:
    """Divide readings into parts of about equal price: the dearest first, each to the part with the least so far."""
    sums, part_of = [0.0] * parts, {}
    for name in sorted(prices, key=lambda name: -prices[name]):
        least = sums.index(min(sums))
        part_of[name] = least
        sums[least] += prices[name]
    return part_of
