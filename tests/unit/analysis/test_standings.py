"""Ranks, profiles and mean regrets on tables made by hand, and their figures."""

import numpy as np
import pandas as pd
import pytest
from handmade_tables import BANDITS, runs_of
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from balanced_bandits.analysis.classification.compare import compare
from balanced_bandits.analysis.classification.counts import count
from balanced_bandits.analysis.classification.standings import groups, mean_regrets, profiles, ranks, regrets_of
from balanced_bandits.figures import profiles as profiles_figure
from balanced_bandits.figures import ranks as ranks_figure
from balanced_bandits.figures import regrets as regrets_figure
from balanced_bandits.figures import wins as wins_figure
from balanced_bandits.figures.style import BLUE, COLUMN, RED, TEXT, save, tint


def regret_table(values, families=None):
    """Regrets of bandits a, b, ... (datasets, bandits) of one reading and protocol."""
    rows = [
        {"reading": "residual", "protocol": "paper", "bandit": "abcde"[j], "dataset": f"d{i}",
         "family": families[i] if families else f"d{i}", "regret": regret}
        for i, row in enumerate(values) for j, regret in enumerate(row)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def holm_table(told):
    names = "abc"
    rows = [("residual", "paper", r, c, 0.01 if {r, c} in told else 0.2) for r in names for c in names if r != c]
    return pd.DataFrame(rows, columns=["reading", "protocol", "row", "column", "p_wilcoxon_holm"])


def test_mean_ranks_by_hand_with_equal_regrets_sharing_theirs():
    table = ranks(regret_table([[0.3, 0.1, 0.2], [0.2, 0.2, 0.4]]), holm_table([{"a", "b"}]))
    assert table["bandit"].tolist() == ["b", "a", "c"]
    assert table["mean_rank"].tolist() == [(1 + 1.5) / 2, (3 + 1.5) / 2, (2 + 3) / 2]
    assert table["groups"].tolist() == ["", "1", "1"]
    assert table["datasets"].tolist() == [2, 2, 2]


def test_friedmans_p_is_that_of_the_textbook_formula():
    values = np.random.default_rng(0).random((12, 3))
    place = values.argsort(axis=1).argsort(axis=1) + 1
    statistic = 12 * 12 / (3 * 4) * ((place.mean(axis=0) - 2) ** 2).sum()
    table = ranks(regret_table(values), holm_table([]))
    assert table["p_friedman"].iloc[0] == pytest.approx(np.exp(-statistic / 2))  # chi-square with 2 degrees of freedom
    equal = ranks(regret_table(np.full((4, 3), 0.5)), holm_table([]))
    assert equal["p_friedman"].isna().all()
    assert ranks(regret_table(values[:, :2]), holm_table([]))["p_friedman"].isna().all()


def test_groups_are_longest_rows_of_neighbours():
    told = {frozenset("ae"), frozenset("bd")}
    assert groups(list("abcde"), told) == [["a", "b", "c"], ["c", "d", "e"]]
    assert groups(list("abc"), set()) == [["a", "b", "c"]]
    assert groups(list("ab"), {frozenset("ab")}) == []


def test_profiles_by_hand():
    table = profiles(regret_table([[0.3, 0.1], [0.2, 0.2], [0.1, 0.5], [0.1, 0.5]]))
    a, b = (table[table["bandit"] == bandit] for bandit in "ab")
    assert a["distance"].tolist() == [0.0, 0.2]
    assert a["share"].tolist() == [0.75, 1.0]
    assert b["distance"].tolist() == [0.0, 0.4]
    assert b["share"].tolist() == [0.5, 1.0]


def test_mean_regrets_by_class_with_intervals_over_families():
    regrets = regret_table([[0.1, 0.2], [0.3, 0.4], [0.8, 0.6]], families=["one", "one", "two"])
    sizes = pd.DataFrame({"name": ["d0", "d1", "d2"], "n": [50, 100, 500], "d": [3, 3, 3], "K": [2, 2, 3]})
    table = mean_regrets(regrets, sizes, np.random.default_rng(0)).set_index(["by", "stratum", "bandit"])
    assert table.loc[("all", "all", "a"), "regret"] == pytest.approx(0.4)
    assert table.loc[("n", "≤ 100", "a"), "regret"] == pytest.approx(0.2)
    assert table.loc[("n", "101–1,000", "b"), "regret"] == pytest.approx(0.6)
    small = table.loc[("n", "≤ 100", "a")]
    assert small["regret_low"] == small["regret_high"] == pytest.approx(0.2)  # one family
    # Of two families, drawn twice: both alike in half of the resamples.
    assert table.loc[("all", "all", "a"), "regret_low"] == pytest.approx(0.2)
    assert table.loc[("all", "all", "a"), "regret_high"] == pytest.approx(0.8)
    assert {by for by, _, _ in table.index} == {"all", "n", "d", "K"}


@pytest.fixture(scope="module")
def made():
    names = [f"d{i}" for i in range(16)]  # of 13 and fewer, Wilcoxon's test goes through all permutations
    pairs = compare(runs_of(names), {name: name for name in names}, BANDITS, ["residual", "literal"], 4)
    counts = count(pairs, np.random.default_rng(0))
    regrets = regrets_of(pairs)
    sizes = pd.DataFrame({"name": names, "n": 40, "d": range(1, 17), "K": 2})
    return {"counts": counts, "ranks": ranks(regrets, counts), "profiles": profiles(regrets), "pairs": pairs,
            "regrets": mean_regrets(regrets, sizes, np.random.default_rng(0))}  # fmt: skip


FIGURES = {
    "ranks": lambda made: ranks_figure.draw(made["ranks"], reading="literal"),
    "profiles": lambda made: profiles_figure.draw(made["profiles"], reading="literal"),
    "regrets": lambda made: regrets_figure.draw(made["regrets"], reading="literal"),
    "wins": lambda made: wins_figure.draw(made["counts"], bandits=BANDITS, reading="literal"),
}


def test_every_bandit_has_its_regret_on_every_dataset(made):
    regrets = regrets_of(made["pairs"])
    assert len(regrets) == 2 * 3 * len(BANDITS) * 16
    one = regrets.iloc[17]
    own = made["pairs"]
    for key in ("reading", "protocol", "dataset"):
        own = own[own[key] == one[key]]
    assert set(own[own["column"] == one["bandit"]]["regret_column"].round(12)) == {one["regret"]}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_have_the_papers_width_and_cut_nothing_off(name, made, tmp_path):
    figure = FIGURES[name](made)
    assert figure.get_figwidth() in (COLUMN, TEXT)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    drawn = figure.get_tightbbox(renderer)
    assert drawn.x0 >= -0.01
    assert drawn.y0 >= -0.01
    assert drawn.x1 <= figure.get_figwidth() + 0.01
    assert drawn.y1 <= figure.get_figheight() + 0.01
    written = " ".join(text.get_text() for text in figure.findobj(Text))
    assert "(literal)" in written
    for word in ("paper", "matched", "fixed", *BANDITS):
        assert word in written
    for attempt in ("one", "two"):
        save(FIGURES[name](made), [tmp_path / f"{attempt}.svg"])
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_wins_are_blue_and_losses_red_and_a_star_is_a_small_p(made):
    counts = made["counts"].copy()
    of = (counts["reading"] == "literal") & (counts["protocol"] == "paper")
    for row, column, share, p in (("LinTS", "BLTS", 1.0, 0.01), ("BLTS", "LinTS", 0.0, 0.01)):
        cell = of & (counts["row"] == row) & (counts["column"] == column)
        counts.loc[cell, ["win_share", "p_sign_holm"]] = share, p
        counts.loc[cell, ["wins", "losses"]] = int(12 * share), int(12 * (1 - share))
    panel = wins_figure.draw(counts, bandits=BANDITS, reading="literal").axes[0]
    fills = {patch.get_xy(): patch.get_facecolor()[:3] for patch in panel.patches}
    assert fills[2, 0] == pytest.approx(tint(BLUE, wins_figure.DEEPEST))
    assert fills[0, 2] == pytest.approx(tint(RED, wins_figure.DEEPEST))
    words = {text.get_position(): text.get_text() for text in panel.texts}
    assert words[2.5, 0.5] == "12–0*"
    assert words[0.5, 2.5] == "0–12*"


def test_bars_join_the_groups_of_the_table(made):
    table = made["ranks"].copy()
    table.loc[table["reading"] == "literal", "groups"] = ["1", "1 2", "2", "", ""] * 3
    figure = ranks_figure.draw(table, reading="literal")
    for axes in figure.axes:
        assert len([line for line in axes.lines if line.get_linewidth() == 2.4]) == 2
