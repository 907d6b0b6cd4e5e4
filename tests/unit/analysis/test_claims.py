"""The paper's claims on datasets: verdicts, simultaneous intervals, the placebo and strata, on tables made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from handmade_tables import BANDITS, PLACEBO, ROPE, pairs_of

from balanced_bandits.analysis.classification.claims import FEWEST_FAMILIES, KEYS, claims, oriented, strata, verdict
from balanced_bandits.analysis.classification.pairs import all_pairs
from balanced_bandits.analysis.paper import CLAIMS
from balanced_bandits.vocabulary import PROTOCOLS, QUANTITIES

BLTS_LINTS = ("BLTS", "LinTS")


def judged(pairs, placebos=(), rope=ROPE):
    return claims(pairs, list(placebos), rope, np.random.default_rng(0))


def claim_of(differences, **more):
    """The row of the claim that BLTS outperforms LinTS, from differences BLTS minus LinTS (datasets,)."""
    (row,) = judged(pairs_of({BLTS_LINTS: differences}, **more)).to_dict("records")
    return row


def everything(differences, bandits=BANDITS, readings=("residual", "literal")):
    """All pairs under all readings and protocols, with the same differences (datasets,) of the first of two bandits."""
    views = itertools.product(readings, PROTOCOLS)
    return pd.concat([pairs_of(dict.fromkeys(all_pairs(bandits), differences), *view) for view in views])


@pytest.mark.parametrize(
    ("interval", "chances", "words"),
    [
        ((-0.04, -0.02), (0.99, 0.01, 0.0), "holds"),
        ((-0.04, -0.001), (0.3, 0.66, 0.04), "holds"),  # a typical difference need not exceed the region
        ((-0.04, -0.02), (0.5, 0.44, 0.06), "inconclusive"),  # the typical difference may well be worse
        ((-0.04, 0.0), (0.99, 0.01, 0.0), "inconclusive"),  # the interval reaches zero
        ((0.02, 0.04), (0.0, 0.01, 0.99), "reversed"),
        ((0.02, 0.04), (0.06, 0.44, 0.5), "inconclusive"),
        ((0.0, 0.04), (0.0, 0.01, 0.99), "inconclusive"),
        ((-0.009, 0.009), (0.01, 0.96, 0.03), "practically equal"),
        ((-0.009, -0.001), (0.0, 0.96, 0.04), "practically equal"),  # small, however certain its sign
        ((-0.009, 0.009), (0.02, 0.95, 0.03), "inconclusive"),
        ((-0.009, -0.001), (0.06, 0.94, 0.0), "holds"),
        ((-0.01, 0.009), (0.01, 0.98, 0.01), "inconclusive"),
        ((-0.009, 0.01), (0.01, 0.98, 0.01), "inconclusive"),
    ],
)
def test_verdicts(interval, chances, words):
    assert verdict(*interval, *chances, 0.01) == words
    swapped = {"holds": "reversed", "reversed": "holds"}.get(words, words)
    assert verdict(-interval[1], -interval[0], *chances[::-1], 0.01) == swapped


def test_more_wins_with_a_worse_mean_do_not_hold():
    """28 wins and 27 losses, p near 1, and a worse mean: once this was called a weak success."""
    row = claim_of([-0.05] * 28 + [0.06] * 27)
    assert (row["wins"], row["losses"], row["verdict"]) == (28, 27, "inconclusive")
    assert row["difference"] > 0
    row = claim_of([-0.002] * 28 + [0.0025] * 27)
    assert (row["wins"], row["losses"], row["verdict"]) == (28, 27, "practically equal")


def test_17_wins_and_35_losses_with_a_clearly_worse_mean_are_reversed():
    rng = np.random.default_rng(1)
    row = claim_of([*-rng.uniform(0.0, 0.02, 17), *rng.uniform(0.01, 0.06, 35)])
    assert (row["wins"], row["losses"], row["verdict"]) == (17, 35, "reversed")
    assert row["low"] > 0


def test_a_clear_difference_holds():
    row = claim_of(np.random.default_rng(0).normal(-0.03, 0.02, 40))
    assert row["verdict"] == "holds"
    assert row["high"] < 0
    assert row["p_better"] > 0.95
    assert row["p_better"] + row["p_equal"] + row["p_worse"] == pytest.approx(1.0)


def test_a_few_large_differences_do_not_outweigh_the_typical_one():
    """The mean is clearly below zero, but on most datasets the bandit is worse by two points."""
    row = claim_of([0.02] * 40 + [-0.5] * 12)
    assert row["high"] < 0
    assert row["p_worse"] > 0.05
    assert row["verdict"] == "inconclusive"


def test_the_region_of_practical_equivalence_is_that_of_the_configuration():
    differences = np.random.default_rng(0).normal(-0.01, 0.01, 60)
    pairs = pairs_of({BLTS_LINTS: differences})
    assert [judged(pairs, rope=rope)["verdict"].item() for rope in (0.001, 0.02)] == ["holds", "practically equal"]


def test_every_claim_of_the_paper_under_every_reading_and_protocol():
    """The bandit that comes first in the list wins everywhere."""
    table = judged(everything(np.linspace(-0.12, -0.08, 20)))
    assert len(table) == len(CLAIMS) * 2 * len(PROTOCOLS)
    assert not table.duplicated(KEYS).any()
    assert list(dict.fromkeys(zip(table["better"], table["worse"], strict=True))) == CLAIMS
    assert set(table["kind"]) == {"claim"}
    for row in table.itertuples():
        first = BANDITS.index(row.better) < BANDITS.index(row.worse)
        assert row.verdict == ("holds" if first else "reversed")
        assert (row.wins, row.losses) == ((20, 0) if first else (0, 20))
        assert row.difference == pytest.approx(-0.1 if first else 0.1)
        assert row.low < row.difference < row.high


def test_intervals_of_all_rows_are_one_family():
    """Simultaneous intervals are wider than those of the same rows by themselves, and all by the same factor."""
    rng = np.random.default_rng(3)
    views = [pairs_of({pair: rng.normal(-0.01, 0.03, 30) for pair in all_pairs(BANDITS)}, *view)
             for view in itertools.product(("residual", "literal"), PROTOCOLS)]  # fmt: skip
    table = judged(pd.concat(views))
    assert (table["low"] < table["difference_low"]).all()
    assert (table["high"] > table["difference_high"]).all()
    ratio = (table["high"] - table["low"]) / (table["difference_high"] - table["difference_low"])
    assert ratio.min() > 1.4
    assert ratio.max() / ratio.min() < 1.15  # up to the noise of percentiles
    # The first view alone has fewer claims, and so narrower intervals.
    alone = judged(views[0])
    here = table[(table["reading"] == "residual") & (table["protocol"] == "paper")]
    wide = (here["high"] - here["low"]).to_numpy()
    assert (wide > 1.1 * (alone["high"] - alone["low"]).to_numpy()).all()


def test_the_placebo_is_a_row_of_its_own_kind():
    pairs = pairs_of({BLTS_LINTS: np.linspace(-0.05, -0.03, 30), PLACEBO: np.tile([-0.001, 0.001], 15)})
    table = judged(pairs, [PLACEBO]).set_index("kind")
    assert (table.loc["placebo", "better"], table.loc["placebo", "worse"]) == PLACEBO
    assert table["verdict"].to_dict() == {"claim": "holds", "placebo": "practically equal"}
    assert (judged(pairs)["kind"] == "claim").all()


def test_too_few_datasets_cannot_be_judged():
    enough = np.linspace(-0.3, -0.2, FEWEST_FAMILIES)
    assert claim_of(enough)["verdict"] == "holds"
    row = claim_of(enough[1:])
    assert row["verdict"] == "can't be judged"
    assert row["difference"] == pytest.approx(np.mean(enough[1:]))


def test_many_datasets_of_one_family_are_not_certain():
    differences = [-0.1] * 30 + [0.1] * 2
    assert claim_of(differences)["verdict"] == "holds"
    row = claim_of(differences, families=["big"] * 30 + ["x", "y"])
    assert (row["wins"], row["losses"], row["families"]) == (30, 2, 3)
    assert row["low"] < 0 < row["high"]
    assert row["verdict"] == "can't be judged"  # of three families
    some = claim_of([*differences, *[-0.01, 0.01] * 5], families=["big"] * 30 + [f"x{i}" for i in range(12)])
    assert some["verdict"] == "inconclusive"


def test_a_protocol_that_lacks_a_dataset_is_judged_by_the_others():
    differences = np.linspace(-0.12, -0.08, 20)
    some = pairs_of({BLTS_LINTS: differences}, protocol="held_out").iloc[8:]
    table = judged(pd.concat([pairs_of({BLTS_LINTS: differences}), some])).set_index("protocol")
    assert table["datasets"].to_dict() == {"paper": 20, "held_out": 12}
    assert table.loc["held_out", "difference"] == pytest.approx(differences[8:].mean())
    assert table["verdict"].to_dict() == {"paper": "holds", "held_out": "holds"}


def test_pairs_are_turned_to_the_order_of_the_claim():
    pairs = pairs_of({("LinTS", "BLTS"): [0.1, -0.2, 0.0], ("LinTS", "Uniform"): [0.3, 0.3, 0.3]})
    table = oriented(pairs, [BLTS_LINTS])
    assert table[["better", "worse"]].drop_duplicates().to_numpy().tolist() == [["BLTS", "LinTS"]]
    assert table["difference"].tolist() == [-0.1, 0.2, 0.0]
    assert table["outcome"].tolist() == ["win", "loss", "tie"]
    assert table["p"].tolist() == pairs["p"].tolist()[:3]


def test_claims_come_in_the_order_that_is_asked_for():
    pairs = pairs_of({pair: [-0.1] for pair in all_pairs(["LinTS", "LinUCB", "BLTS"])})
    wanted = [("BLTS", "LinUCB"), ("LinTS", "LinUCB"), ("BLTS", "LinTS"), ("BLTS", "BLUCB")]
    table = oriented(pairs, wanted)
    assert list(zip(table["better"], table["worse"], strict=True)) == wanted[:3]
    assert table["difference"].tolist() == [0.1, -0.1, 0.1]


def test_claims_concern_the_bandits_that_are_there():
    """A run of other bandits has an empty table, with its columns."""
    pairs = pairs_of({("LinTS", "Uniform"): [0.1, -0.1]})
    table = judged(pairs)
    assert table.empty
    assert set(table) == set(judged(pairs_of({BLTS_LINTS: [0.1, -0.1]})))
    empty = strata(pairs, datasets_of([(9, 2, 2)] * 2), np.random.default_rng(0))
    assert empty.empty
    assert {"by", "stratum", *KEYS, "difference", "difference_low"} <= set(empty)


# By the size of datasets


def datasets_of(sizes):
    return pd.DataFrame([{"name": f"d{k}", "n": n, "d": d, "K": arms} for k, (n, d, arms) in enumerate(sizes)])


def test_classes_are_those_of_the_papers_table_2():
    assert [stratum.label for stratum in QUANTITIES["d"].strata] == ["≤ 10", "11–100", "> 100"]
    for quantity in QUANTITIES.values():
        assert [stratum.high for stratum in quantity.strata] == [*quantity.ends, np.inf]
        assert [stratum.low for stratum in quantity.strata] == [quantity.least, *quantity.ends]


def test_strata_count_each_dataset_once_by_each_quantity():
    sizes = [(100, 10, 2), (101, 11, 3), (1000, 100, 10), (1001, 101, 11), (10001, 5, 2)]
    table = strata(everything([-0.1, -0.1, 0.2, 0.0, 0.1]), datasets_of(sizes), np.random.default_rng(0))
    here = table[(table["reading"] == "literal") & (table["protocol"] == "held_out")]
    here = here[(here["better"] == "LinTS") & (here["worse"] == "LinUCB")].set_index(["by", "stratum"])
    numbers = {key: tuple(row[["datasets", "wins", "losses", "ties"]]) for key, row in here.iterrows()}
    assert numbers == {
        ("n", "≤ 100"): (1, 1, 0, 0), ("n", "101–1,000"): (2, 1, 1, 0), ("n", "1,001–10,000"): (1, 0, 0, 1),
        ("n", "> 10,000"): (1, 0, 1, 0), ("d", "≤ 10"): (2, 1, 1, 0), ("d", "11–100"): (2, 1, 1, 0),
        ("d", "> 100"): (1, 0, 0, 1), ("K", "2"): (2, 1, 1, 0), ("K", "3–10"): (2, 1, 1, 0),
        ("K", "> 10"): (1, 0, 0, 1),
    }  # fmt: skip
    middle = here.loc[("n", "101–1,000")]
    assert (middle["difference"], middle["win_share"]) == (pytest.approx(0.05), 0.5)
    assert middle["difference_low"] < -0.1  # of two datasets
    assert middle["difference_high"] > 0.2
    assert len(table) == 10 * 2 * len(PROTOCOLS) * len(CLAIMS)


def test_strata_without_datasets_have_no_rows():
    table = strata(everything([-0.1, 0.1]), datasets_of([(50, 3, 2), (60, 3, 2)]), np.random.default_rng(0))
    assert set(zip(table["by"], table["stratum"], strict=True)) == {("n", "≤ 100"), ("d", "≤ 10"), ("K", "2")}
