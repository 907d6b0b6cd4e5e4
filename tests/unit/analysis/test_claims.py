"""The paper's claims: verdicts, strata, and their figures, on tables made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from balanced_bandits.analysis.classification.claims import claims, strata, verdict
from balanced_bandits.analysis.classification.counts import count
from balanced_bandits.analysis.classification.protocols import PROTOCOLS
from balanced_bandits.analysis.paper import CLAIMS
from balanced_bandits.figures import claims as claims_figure
from balanced_bandits.figures import strata as strata_figure
from balanced_bandits.figures.style import save
from balanced_bandits.vocabulary import QUANTITIES

BANDITS = ["LinTS", "LinUCB", "BLTS", "BLUCB", "ILTCB"]


def pairs_of(differences, bandits=BANDITS, readings=("residual", "literal"), families=None):
    """Pairs in which the first of two bandits has regrets that differ by ``differences`` (datasets,) from 0.5."""
    rows = []
    for reading, protocol, (i, row), (j, column) in itertools.product(
        readings, PROTOCOLS, enumerate(bandits), enumerate(bandits)
    ):
        for k, difference in enumerate(differences):
            mine, theirs = (0.5 + difference, 0.5) if i < j else (0.5, 0.5 + difference)
            if i != j:
                rows.append({
                    "reading": reading, "protocol": protocol, "row": row, "column": column, "dataset": f"d{k}",
                    "family": families[k] if families else f"d{k}", "regret_row": mine, "regret_column": theirs,
                    "p_paired": 0.01, "p_unpaired": 0.2, "p_public": 0.04,
                    "outcome": "win" if mine < theirs else "loss" if mine > theirs else "tie",
                })  # fmt: skip
    return pd.DataFrame(rows)


def datasets_of(sizes):
    return pd.DataFrame([{"name": f"d{k}", "n": n, "d": d, "K": arms} for k, (n, d, arms) in enumerate(sizes)])


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((40, 10, 0.6, 0.9, 0.001), "holds"),
        ((40, 10, 0.6, 0.9, 0.05), "holds weakly"),  # not below 0.05
        ((40, 10, 0.5, 0.9, 0.001), "holds weakly"),  # the interval reaches one half
        ((10, 40, 0.1, 0.4, 0.001), "reversed"),
        ((10, 40, 0.1, 0.4, 0.3), "does not hold"),
        ((10, 40, 0.1, 0.5, 0.001), "does not hold"),
        ((10, 10, 0.3, 0.7, 1.0), "does not hold"),
        ((11, 10, 0.3, 0.7, 1.0), "holds weakly"),
    ],
)
def test_verdicts(numbers, words):
    assert verdict(*numbers) == words


def test_every_claim_of_the_paper_under_every_reading_and_protocol():
    differences = np.full(40, -0.1)  # the bandit that comes first in the list wins everywhere
    table = claims(count(pairs_of(differences), np.random.default_rng(0)))
    assert len(table) == 7 * 2 * 3
    assert list(dict.fromkeys(zip(table["better"], table["worse"], strict=True))) == CLAIMS
    expected = {pair: "holds" if BANDITS.index(pair[0]) < BANDITS.index(pair[1]) else "reversed" for pair in CLAIMS}
    for row in table.itertuples():
        assert row.verdict == expected[row.better, row.worse]
        assert (row.wins, row.losses) == ((40, 0) if row.verdict == "holds" else (0, 40))
        assert row.win_share_low == row.win_share_high == row.win_share
        assert row.regret_difference == pytest.approx(-0.1 if row.verdict == "holds" else 0.1)
        # Exact binomial on 40 of 40, times the ten pairs.
        assert row.p_sign_holm == pytest.approx(10 * 2 * 0.5**40)


def test_a_claim_on_one_family_alone_is_not_certain():
    differences = np.array([-0.1] * 30 + [0.1] * 2)
    families = ["big"] * 30 + ["x", "y"]
    table = claims(count(pairs_of(differences, families=families), np.random.default_rng(0)))
    row = table[(table["better"] == "BLTS") & (table["worse"] == "BLUCB")].iloc[0]
    assert (row.wins, row.losses, row.families) == (30, 2, 3)
    assert row.p_sign_holm < 0.001
    assert row.win_share_low < 0.5
    assert row.verdict == "holds weakly"


def test_claims_concern_the_bandits_that_are_there():
    table = claims(count(pairs_of([0.1, -0.1], bandits=["LinTS", "Uniform"]), np.random.default_rng(0)))
    assert table.empty
    assert "verdict" in table


def test_classes_are_those_of_the_papers_table_2():
    assert [stratum.label for stratum in QUANTITIES["d"].strata] == ["≤ 10", "11–100", "> 100"]
    for quantity in QUANTITIES.values():
        assert [stratum.high for stratum in quantity.strata] == [*quantity.ends, np.inf]
        assert [stratum.low for stratum in quantity.strata] == [quantity.least, *quantity.ends]


def test_strata_count_each_dataset_once_by_each_column():
    sizes = [(100, 10, 2), (101, 11, 3), (1000, 100, 10), (1001, 101, 11), (10001, 5, 2)]
    differences = [-0.1, -0.1, 0.1, 0.0, 0.1]
    table = strata(pairs_of(differences), datasets_of(sizes), np.random.default_rng(0))
    here = table[(table["reading"] == "literal") & (table["protocol"] == "matched")]
    here = here[(here["better"] == "LinTS") & (here["worse"] == "LinUCB")].set_index(["by", "stratum"])
    numbers = {key: tuple(row[["datasets", "wins", "losses", "ties"]]) for key, row in here.iterrows()}
    assert numbers == {
        ("n", "≤ 100"): (1, 1, 0, 0), ("n", "101–1,000"): (2, 1, 1, 0), ("n", "1,001–10,000"): (1, 0, 0, 1),
        ("n", "> 10,000"): (1, 0, 1, 0), ("d", "≤ 10"): (2, 1, 1, 0), ("d", "11–100"): (2, 1, 1, 0),
        ("d", "> 100"): (1, 0, 0, 1), ("K", "2"): (2, 1, 1, 0), ("K", "3–10"): (2, 1, 1, 0),
        ("K", "> 10"): (1, 0, 0, 1),
    }  # fmt: skip
    assert here.loc[("n", "101–1,000"), "win_share"] == 0.5
    assert len(table) == 10 * 2 * 3 * 7


def tables(bandits=BANDITS):
    pairs = pairs_of([-0.1] * 12 + [0.1] * 5 + [0.0], bandits)
    sizes = [(50 * 4**k % 30000 + 20, 3 * (k + 1) ** 2, 2 + k % 12) for k in range(18)]
    rng = np.random.default_rng(0)
    return claims(count(pairs, rng)), strata(pairs, datasets_of(sizes), rng)


FIGURES = {
    "claims": lambda *bandits: claims_figure.draw(tables(*bandits)[0]),
    "strata": lambda *bandits: strata_figure.draw(tables(*bandits)[1], reading="literal"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_table_gives_the_same_bytes_in_every_format(name, tmp_path):
    for attempt in ("one", "two"):
        save(FIGURES[name](), [tmp_path / f"{attempt}.{ending}" for ending in ("pdf", "svg", "png")])
    for ending in ("pdf", "svg", "png"):
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("bandits", [BANDITS, ["LinTS", "LinUCB"], ["LinTS", "Uniform"]])
def test_nothing_that_is_written_is_cut_off(name, bandits):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = FIGURES[name](bandits)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    drawn = figure.get_tightbbox(renderer)
    assert min(drawn.x0, drawn.y0) >= -0.01
    assert drawn.x1 <= figure.get_figwidth() + 0.01
    assert drawn.y1 <= figure.get_figheight() + 0.01


def test_the_figure_of_claims_says_counts_and_shows_intervals():
    table = tables()[0]
    figure = claims_figure.draw(table)
    texts = [text.get_text() for text in figure.findobj(Text)]
    assert texts.count("12–5, 1 tied") + texts.count("5–12, 1 tied") == len(table)
    assert [panel.get_title() for panel in figure.axes] == [
        "residual variance with a small prior (residual)", "variance as printed in the paper's boxes (literal)",
    ]  # fmt: skip
    assert {"BLTS > LinTS", "LinTS > LinUCB", "paper", "matched", "fixed"} <= set(texts)
    row = table[(table["reading"] == "residual") & (table["protocol"] == "paper")].iloc[0]
    segment = figure.axes[0].collections[0].get_segments()[0]
    np.testing.assert_allclose(segment[:, 0], [row.win_share_low, row.win_share_high])


def test_the_figure_of_strata_has_a_panel_a_claim_and_names_its_reading():
    figure = strata_figure.draw(tables()[1], reading="literal")
    assert [panel.get_title() for panel in figure.axes] == [f"{better} >\n{worse}" for better, worse in CLAIMS]
    texts = [text.get_text() for text in figure.findobj(Text)]
    assert any("(literal)" in text for text in texts)
    assert any(text.startswith("n ≤ 100  (") for text in texts)


def test_a_figure_of_no_claims_says_so():
    for draw in FIGURES.values():
        assert "claims nothing" in draw(["LinTS", "Uniform"]).texts[0].get_text()
