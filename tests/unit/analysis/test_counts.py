"""Two bandits over all datasets: counts, means and tests of tables made by hand."""

import numpy as np
import pandas as pd
import pytest
from handmade_tables import pairs_of

from balanced_bandits.analysis.classification.counts import PAIR, count, matrix, summaries
from balanced_bandits.analysis.significance import wilcoxon

AB = ("A", "B")


def counted(pairs):
    return count(pairs, np.random.default_rng(0))


def test_a_row_by_hand():
    pairs = pairs_of({AB: [-0.3, -0.1, 0.0, 0.2]}, families=["x", "x", "y", "z"])
    (row,) = counted(pairs).to_dict("records")
    assert [row[key] for key in PAIR] == ["residual", "paper", "A", "B"]
    assert (row["datasets"], row["families"]) == (4, 3)
    assert (row["wins"], row["losses"], row["ties"]) == (2, 1, 1)
    assert row["difference"] == pytest.approx(-0.05)
    assert row["win_share"] == 2.5 / 4
    assert row["p_wilcoxon"] == row["p_holm"] == wilcoxon(np.array([-0.3, -0.1, 0.0, 0.2]))


def test_every_reading_protocol_and_pair_has_a_row_in_the_order_of_the_table():
    views = [("literal", "typical"), ("residual", "paper"), ("literal", "paper")]
    pairs = pd.concat([pairs_of({("B", "A"): [-0.1, 0.2], AB: [0.0, 0.1 * i]}, *view) for i, view in enumerate(views)])
    table = counted(pairs)
    assert table[PAIR].to_numpy().tolist() == [[*view, *pair] for view in views for pair in (("B", "A"), AB)]
    assert table["difference"].tolist() == pytest.approx([0.05, 0.0, 0.05, 0.05, 0.05, 0.1])
    assert table["losses"].tolist() == [1, 0, 1, 1, 1, 1]


def test_sure_wins_are_those_below_5_percent_on_datasets_with_a_test():
    pairs = pairs_of({AB: [-0.1, -0.1, -0.1, 0.1, 0.1, 0.0]}).assign(p=[0.049, 0.05, np.nan, 0.001, 0.2, 1.0])
    (row,) = counted(pairs).to_dict("records")
    assert (row["tested"], row["sure_wins"], row["sure_losses"]) == (5, 1, 1)


def test_holms_correction_covers_all_rows_of_the_table():
    clear, unclear = np.linspace(-0.3, -0.1, 12), np.tile([-0.1, 0.1], 6)
    alone = counted(pairs_of({AB: clear}))
    table = counted(pd.concat([pairs_of({AB: clear, ("A", "C"): unclear}), pairs_of({AB: unclear}, protocol="fixed")]))
    assert alone["p_holm"][0] == alone["p_wilcoxon"][0] == 2 * 0.5**12
    assert table["p_wilcoxon"][0] == alone["p_wilcoxon"][0]
    assert table["p_holm"][0] == pytest.approx(3 * alone["p_wilcoxon"][0])


def test_rows_of_exchanged_bandits_mirror_each_other():
    differences = np.random.default_rng(0).normal(0.01, 0.05, 30)
    table = counted(pairs_of({AB: differences, ("B", "A"): -differences}))
    one, other = table.to_dict("records")
    assert (one["wins"], one["sure_wins"]) == (other["losses"], other["sure_losses"])
    assert one["difference"] == pytest.approx(-other["difference"])
    assert one["difference_low"] == pytest.approx(-other["difference_high"])
    assert one["win_share_low"] == pytest.approx(1 - other["win_share_high"])
    assert one["p_wilcoxon"] == other["p_wilcoxon"]


def test_intervals_are_over_families():
    differences = np.array([-0.2] * 9 + [0.2])
    apart = summaries(pairs_of({AB: differences}), np.random.default_rng(0)).iloc[0]
    assert apart["difference_high"] < 0.0
    two = summaries(pairs_of({AB: differences}, families=["big"] * 9 + ["small"]), np.random.default_rng(0)).iloc[0]
    assert (two["difference_low"], two["difference_high"]) == (-1.0, 1.0)  # two families say nothing
    assert (two["win_share_low"], two["win_share_high"]) == (0.0, 1.0)


def test_a_view_that_lacks_a_dataset_counts_the_others():
    """Datasets with a single shuffle have no held-out regret."""
    some = pairs_of({AB: [-0.1, -0.3, 0.2]}, protocol="held_out").iloc[[0, 2]]
    table = counted(pd.concat([pairs_of({AB: [-0.1, -0.3, 0.2]}), some])).set_index("protocol")
    assert table["datasets"].to_dict() == {"paper": 3, "held_out": 2}
    assert table["difference"].to_dict() == pytest.approx({"paper": -0.2 / 3, "held_out": 0.05})
    assert table.loc["held_out", "win_share"] == 0.5
    assert table.loc["held_out", "difference_low"] < -0.1


def test_a_matrix_has_its_datasets_in_the_order_of_the_table():
    pairs = pd.DataFrame({"dataset": ["z", "a", "z"], "pair": [1, 0, 0], "difference": [0.1, 0.2, 0.3]})
    wide = matrix(pairs, "pair", "difference")
    assert list(wide.index) == ["z", "a"]
    np.testing.assert_array_equal(wide.to_numpy(), [[0.3, 0.1], [0.2, np.nan]])
