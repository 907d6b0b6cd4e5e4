"""A part of a suite that fits into a budget and looks like the suite: stratified by n, d and K, as in Table 2."""

from collections.abc import Mapping

from balanced_bandits.vocabulary import QUANTITIES

PARTS = 8  # no dataset may use more than one of so many equal parts of the budget, so that small ones have room


def stratum_of(n: int, d: int, K: int) -> tuple[str, str, str]:
    """The classes of a dataset by n, d (before encoding) and K."""
    sizes = {"n": n, "d": d, "K": K}
    found = [
        next(stratum.label for stratum in QUANTITIES[key].strata if stratum.contains(size))
        for key, size in sizes.items()
    ]
    return found[0], found[1], found[2]


def stratified(seconds: Mapping[str, float], strata: Mapping[str, tuple[str, str, str]], budget: float) -> list[str]:
    """Datasets whose ``seconds`` add up to at most ``budget``, in the order in which they were chosen.

    One at a time: of the strata in which a dataset can still be paid for, the one that has the fewest compared with its
    share of the suite, and in it the cheapest dataset. Ties go to what comes first. A dataset that takes more than
    1 / ``PARTS`` of the budget is left out (with fewer datasets than that, more than an equal part).
    """
    largest = budget / max(1, min(PARTS, len(seconds)))
    waiting: dict[tuple[str, str, str], list[str]] = {}
    for name in sorted(seconds, key=lambda name: seconds[name]):
        if seconds[name] <= largest:
            waiting.setdefault(strata[name], []).append(name)
    share = {stratum: sum(of == stratum for of in strata.values()) / len(strata) for stratum in waiting}
    taken = dict.fromkeys(waiting, 0)
    chosen: list[str] = []
    left = budget
    while True:
        open_ = [stratum for stratum, names in waiting.items() if names and seconds[names[0]] <= left]
        if not open_:
            return chosen
        behind = max(open_, key=lambda stratum: share[stratum] * (len(chosen) + 1) - taken[stratum])
        name = waiting[behind].pop(0)
        taken[behind] += 1
        left -= seconds[name]
        chosen.append(name)
