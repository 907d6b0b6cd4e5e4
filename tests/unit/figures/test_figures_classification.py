"""The figures of the experiment on datasets, drawn from the tables of runs made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from handmade_tables import BANDITS, ROPE, runs_of, scores_and_pairs
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.text import Text

from balanced_bandits.analysis.classification.calibration import TESTS
from balanced_bandits.analysis.classification.claims import claims, strata
from balanced_bandits.analysis.classification.counts import count
from balanced_bandits.analysis.classification.standings import differences_by_size, profiles, ranks, regrets_of
from balanced_bandits.analysis.paper import CLAIMS
from balanced_bandits.figures import calibration as calibration_figure
from balanced_bandits.figures import claims as claims_figure
from balanced_bandits.figures import differences as differences_figure
from balanced_bandits.figures import matrix as matrix_figure
from balanced_bandits.figures import pairwise as pairwise_figure
from balanced_bandits.figures import profiles as profiles_figure
from balanced_bandits.figures import ranks as ranks_figure
from balanced_bandits.figures import strata as strata_figure
from balanced_bandits.figures.style import BLUE, COLUMN, RED, TEXT, bandit_styles, save, tint
from balanced_bandits.plan.catalogue import FIGURES as CATALOGUE
from balanced_bandits.vocabulary import PROTOCOLS, VERDICTS

SEVEN = [*BANDITS, "EpsilonGreedy", "Greedy"]
NAMES = [f"d{k:02d}" for k in range(14)]
DATASETS = pd.DataFrame([
    {"name": name, "n": 20 + 50 * 4**k % 30000, "d": 3 * (k + 1) ** 2, "K": 2 + k % 12, "left_out": "",
     "rows_capped_from": np.nan}
    for k, name in enumerate(NAMES)
])  # fmt: skip
LITERAL = {"reading": "literal"}
SHOWN = {"reading": "literal", "protocol": "held_out"}


def tables(bandits, placebo="LinTS"):
    """What scripts/compare.py makes of the runs."""
    families = {name: name for name in NAMES}
    score, pairs = scores_and_pairs(runs_of(NAMES, bandits=bandits), families, bandits, placebo=placebo)
    rng = np.random.default_rng(0)
    own = pairs[pairs["row"].isin(bandits)]
    counts = count(own, rng)
    regrets = regrets_of(score[score["bandit"].isin(bandits)], families)
    placebos = [("LinTS×4", "LinTS")] if placebo else []
    return {
        "pairs": own, "counts": counts, "claims": claims(pairs, placebos, ROPE, rng),
        "strata": strata(own, DATASETS, rng), "ranks": ranks(regrets, counts), "profiles": profiles(regrets),
        "differences": differences_by_size(regrets, DATASETS, bandits[0], rng), "bandits": bandits,
    }  # fmt: skip


def calibration_table(bandits=("LinTS", "BLTS"), high=9.0):
    rows = [
        {"test": test, "protocol": protocol, "reading": reading, "bandit": bandit, "rejected": rejected, "tests": 50,
         "percent": 2.0 * rejected, "low": 1.0, "high": high}
        for test, protocol in itertools.product(TESTS, PROTOCOLS)
        for reading, bandit, rejected in [("all", "all", 3), *((reading, bandit, 2 + place)
            for reading in ("residual", "literal") for place, bandit in enumerate(bandits))]
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def of_seven():
    return tables(SEVEN)


@pytest.fixture(scope="module")
def of_two():
    """The fewest bandits that there can be, without a placebo."""
    return tables(["LinTS", "LinUCB"], placebo=None)


def draw_pairwise(made, **shown):
    paper = [bandit for bandit in made["bandits"] if bandit in BANDITS]
    return pairwise_figure.draw(made["pairs"], made["counts"], DATASETS, bandits=paper, **(SHOWN | shown))


FIGURES = {
    "claims": lambda made: claims_figure.draw(made["claims"], rope=ROPE),
    "pairwise": draw_pairwise,
    "matrix": lambda made: matrix_figure.draw(made["counts"], made["ranks"], **SHOWN),
    "differences": lambda made: differences_figure.draw(made["differences"], **LITERAL, reference="LinTS"),
    "strata": lambda made: strata_figure.draw(made["strata"], **LITERAL, rope=ROPE),
    "ranks": lambda made: ranks_figure.draw(made["ranks"], **LITERAL),
    "profiles": lambda made: profiles_figure.draw(made["profiles"], **LITERAL),
    "calibration": lambda made: calibration_figure.draw(calibration_table(made["bandits"][:4])),
}


def texts(artist):
    return [text.get_text() for text in artist.findobj(Text) if text.get_visible() and text.get_text()]


def legend_texts(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_every_figure_of_the_catalogue_is_drawn_here():
    sections = ("classification", "calibration")
    assert set(FIGURES) == {figure.name for figure in CATALOGUE if figure.section in sections}


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_table_gives_the_same_bytes_in_every_format(name, of_two, tmp_path):
    for attempt in ("one", "two"):
        save(FIGURES[name](of_two), [tmp_path / f"{attempt}.{ending}" for ending in ("pdf", "svg", "png")])
    for ending in ("pdf", "svg", "png"):
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


@pytest.mark.parametrize("bandits", ["of_seven", "of_two"])
@pytest.mark.parametrize("name", FIGURES)
def test_nothing_that_is_written_is_cut_off(name, bandits, request):
    figure = FIGURES[name](request.getfixturevalue(bandits))
    if name != "pairwise":  # as wide as it has bandits
        assert figure.get_figwidth() in (COLUMN, TEXT)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    drawn = figure.get_tightbbox(renderer)  # inches
    assert drawn.x0 >= -0.01
    assert drawn.y0 >= -0.01
    assert drawn.x1 <= figure.get_figwidth() + 0.01
    assert drawn.y1 <= figure.get_figheight() + 0.01


@pytest.mark.parametrize("name", sorted(FIGURES.keys() - {"claims", "calibration"}))
def test_a_figure_names_its_reading(name, of_seven):
    assert any("(literal)" in text for text in texts(FIGURES[name](of_seven)))


# Figure 4


def test_the_grid_has_square_panels_with_names_points_and_counts(of_seven):
    left_out = {"dull": "all rows are of one class, 'same'", "gone": "status 404 " + 40 * "no ", "odd": "it is odd"}
    gone = pd.DataFrame({"name": list(left_out), "left_out": list(left_out.values())})
    datasets = pd.concat([DATASETS, gone], ignore_index=True)
    datasets.loc[:1, "rows_capped_from"] = 9000
    figure = pairwise_figure.draw(of_seven["pairs"], of_seven["counts"], datasets, bandits=BANDITS, **SHOWN)
    figure.draw_without_rendering()
    panels = np.array(figure.axes).reshape(5, 5)
    counts = of_seven["counts"]
    counts = counts[(counts["reading"] == "literal") & (counts["protocol"] == "held_out")].set_index(["row", "column"])
    for (i, row), (j, column) in itertools.product(enumerate(BANDITS), enumerate(BANDITS)):
        panel = panels[i, j]
        box = panel.get_window_extent()
        assert box.width == pytest.approx(box.height, rel=1e-3)
        if i == j:
            assert texts(panel)[:1] == [row]
            continue
        of = counts.loc[(row, column) if i < j else (column, row)]
        won, lost = (of.wins, of.losses) if i < j else (of.losses, of.wins)
        assert [text.get_text() for text in panel.texts] == [f"{won} won", f"{lost} lost", f"{of.ties} tied"]
        points = {to_rgba(BLUE)[:3]: 0, to_rgba(RED)[:3]: 0}
        for collection in panel.collections:
            for x, y in collection.get_offsets():
                colour = tuple(collection.get_facecolors()[0][:3])
                if colour in points:
                    points[colour] += 1
                    assert (y < x) == (colour == to_rgba(BLUE)[:3])  # blue: the row bandit's regret is smaller
        assert list(points.values()) == [won, lost]
        assert panel.get_xlim() == panel.get_ylim()
    (note,) = [text for text in figure.texts if "14 datasets (3 left out, 2 capped), 4 shuffles" in text.get_text()]
    for words in ("(held_out)", "paired t test across pairs of shuffles", "left out: dull (all rows are of"):
        assert words in note.get_text()
    assert note.get_text().endswith(" ..., see datasets.csv")
    (axis,) = [text for text in figure.texts if "column bandit" in text.get_text()]
    assert note.get_window_extent().y1 <= axis.get_window_extent().y0


def test_the_papers_grid_has_no_reference_bandits(of_seven):
    written = texts(draw_pairwise(of_seven))
    assert "ILTCB" in written
    assert not any("Greedy" in text for text in written)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_grid_shows_its_own_reading_and_protocol(protocol, of_seven):
    pairs = of_seven["pairs"]
    for reading in ("residual", "literal"):
        figure = draw_pairwise(of_seven, reading=reading, protocol=protocol)
        here = pairs[(pairs["reading"] == reading) & (pairs["protocol"] == protocol)]
        here = here[(here["row"] == "LinTS") & (here["column"] == "LinUCB")]
        assert f"{(here['outcome'] == 'win').sum()} won" in texts(figure.axes[1])
        shown = {tuple(point) for of in figure.axes[1].collections for point in of.get_offsets().tolist()}
        assert shown == set(zip(here["regret_column"], here["regret_row"], strict=True))
        note = " ".join(text.get_text() for text in figure.texts)
        assert f"({reading})" in note
        assert f"({protocol})" in note


def test_points_grow_with_significance_and_those_without_a_test_are_the_smallest():
    sizes = pairwise_figure.point_sizes(pd.Series([1.0, 0.5, 0.05, 1e-3, 1e-6, 1e-9, 0.0, np.nan]))
    assert (np.diff(sizes[:5]) > 0).all()
    assert sizes[4] == sizes[5] == sizes[6]
    assert sizes[7] == sizes[0]


def test_shuffles_may_differ_between_datasets(of_two):
    pairs = of_two["pairs"].assign(shuffles=np.where(of_two["pairs"]["dataset"] == "d00", 2, 10))
    figure = pairwise_figure.draw(pairs, of_two["counts"], DATASETS, bandits=["LinTS", "LinUCB"], **SHOWN)
    assert any("2 to 10 shuffles" in text for text in texts(figure))


# The matrix


def test_a_cell_has_the_difference_counts_and_p_of_its_pair_and_the_mirrored_cell_the_reverse(of_seven):
    counts = of_seven["counts"].copy()
    here = (counts["reading"] == "literal") & (counts["protocol"] == "held_out")
    cell = here & (counts["row"] == "LinTS") & (counts["column"] == "Greedy")
    assert cell.sum() == 1
    counts.loc[here, ["difference", "p_holm"]] = 0.01, 0.2
    counts.loc[cell, ["difference", "wins", "ties", "losses", "p_holm"]] = -0.08, 11, 1, 2, 0.0004
    figure = matrix_figure.draw(counts, of_seven["ranks"], **SHOWN)
    (panel,) = figure.axes
    order = [label.get_text().split("\n")[0] for label in panel.get_xticklabels()]
    ours = of_seven["ranks"]
    ours = ours[(ours["reading"] == "literal") & (ours["protocol"] == "held_out")].sort_values("regret")
    assert order == list(ours["bandit"])
    assert sorted(order) == sorted(SEVEN)  # reference bandits, too
    assert panel.get_yticklabels()[0].get_text() == f"{order[0]}\n{100 * ours['regret'].iloc[0]:.1f} %"
    words = {text.get_position(): text for text in panel.texts}
    fills = {patch.get_xy(): patch.get_facecolor()[:3] for patch in panel.patches}
    one, other = order.index("LinTS"), order.index("Greedy")
    assert words[other + 0.5, one + 0.5].get_text() == "-8.00\n11 / 1 / 2\np < 0.001"
    assert words[one + 0.5, other + 0.5].get_text() == "+8.00\n2 / 1 / 11\np < 0.001"
    assert fills[other, one] == pytest.approx(tint(BLUE, matrix_figure.DEEPEST))
    assert fills[one, other] == pytest.approx(tint(RED, matrix_figure.DEEPEST))
    bold = [text for text in panel.texts if text.get_fontweight() == "bold"]
    assert len(bold) == 2
    assert sum("p = 0.200" in text.get_text() for text in panel.texts) == 7 * 6 - 2
    assert len(fills) == 7 * 7


# Claims and strata


def test_the_figure_of_claims_has_a_mark_with_its_interval_and_counts(of_seven):
    table = of_seven["claims"]
    figure = claims_figure.draw(table, rope=ROPE)
    assert [panel.get_title() for panel in figure.axes] == [
        "residual variance with a small prior (residual)", "variance as printed in the paper's boxes (literal)",
    ]  # fmt: skip
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows == [f"{better} beats {worse}" for better, worse in CLAIMS] + ["placebo:\nLinTS×4\nbeats LinTS"]
    for panel, reading in zip(figure.axes, ("residual", "literal"), strict=True):
        here = table[table["reading"] == reading]
        assert len(panel.texts) == len(here) == 8 * 4
        assert {text.get_text() for text in panel.texts} == {f"{row.wins}–{row.losses}" for row in here.itertuples()}
        ends = {tuple(np.round(segment[:, 0], 9)) for of in panel.collections for segment in of.get_segments()}
        assert ends == {(round(100 * row.low, 9), round(100 * row.high, 9)) for row in here.itertuples()}
        marks = [float(line.get_xdata()[0]) for line in panel.lines if line.get_marker() not in ("None", "")]
        np.testing.assert_allclose(sorted(marks), sorted(100 * here["difference"]))
    assert legend_texts(figure)[-5:] == [*PROTOCOLS, "practically equal: ±1 points"]
    assert set(legend_texts(figure)[:-5]) == set(table["verdict"])


def test_verdicts_on_orderings_differ_by_the_fill_of_their_marks(of_seven):
    fills = claims_figure.FILLS
    assert len({fills[verdict] for verdict in ("holds", "reversed", "practically equal", "inconclusive")}) == 4
    assert set(fills) <= set(VERDICTS)
    table = of_seven["claims"].assign(verdict="reversed")
    figure = claims_figure.draw(table, rope=ROPE)
    marks = [line for panel in figure.axes for line in panel.lines if line.get_marker() not in ("None", "")]
    assert {line.get_fillstyle() for line in marks} == {fills["reversed"]}


def test_the_figure_of_strata_has_a_panel_per_claim_and_a_row_per_class(of_seven):
    figure = FIGURES["strata"](of_seven)
    assert [panel.get_title() for panel in figure.axes] == [f"{better} beats\n{worse}" for better, worse in CLAIMS]
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    counted = [f"n ≤ 100  ({(DATASETS['n'] <= 100).sum()})", f"K 2  ({(DATASETS['K'] == 2).sum()})"]
    assert set(counted) < set(labels)
    assert len(labels) == 4 + 3 + 3
    assert legend_texts(figure)[:4] == list(PROTOCOLS)


def test_tick_labels_of_neighbouring_panels_do_not_touch(of_seven):
    for name in ("strata", "differences", "calibration", "profiles", "claims"):
        figure = FIGURES[name](of_seven)
        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw(renderer)
        boxes = [[label.get_window_extent(renderer) for label in panel.get_xticklabels()
                  if panel.get_xlim()[0] <= label.get_position()[0] <= panel.get_xlim()[1]]
                 for panel in figure.axes]  # fmt: skip
        for left, right in itertools.pairwise(boxes):
            assert max(box.x1 for box in left) < min(box.x0 for box in right), name


@pytest.mark.parametrize("name", ["claims", "strata"])
def test_a_figure_of_no_claims_says_so(name):
    figure = FIGURES[name](tables(["LinTS", "Uniform"], placebo=None))
    assert "no claims" in figure.texts[0].get_text()


# Differences from a reference bandit


def test_differences_have_a_panel_per_protocol_and_a_mark_per_other_bandit(of_seven):
    table = of_seven["differences"]
    figure = FIGURES["differences"](of_seven)
    assert [panel.get_title() for panel in figure.axes] == list(PROTOCOLS)
    assert legend_texts(figure) == SEVEN[1:]  # the reference is the dashed line
    assert any("minus that of LinTS" in text for text in texts(figure))
    for panel, protocol in zip(figure.axes, PROTOCOLS, strict=True):
        here = table[(table["reading"] == "literal") & (table["protocol"] == protocol)]
        for line in (line for line in panel.lines if line.get_label() in SEVEN):
            own = here[here["bandit"] == line.get_label()]
            # Small classes may be beyond the ends of the axis; their marks are at the ends.
            np.testing.assert_allclose(line.get_xdata(), (100 * own["difference"]).clip(*panel.get_xlim()))
            assert line.get_color() == bandit_styles([line.get_label()])[line.get_label()]["color"]
        low, high = panel.get_xlim()
        together = here[here["by"] == "all"]
        assert (100 * together["difference_low"] >= low).all()
        assert (100 * together["difference_high"] <= high).all()
    assert figure.axes[0].get_yticklabels()[0].get_text() == "all  (14)"


# Ranks and profiles


def test_bars_join_the_groups_of_the_table(of_seven):
    table = of_seven["ranks"].copy()
    table.loc[table["reading"] == "literal", "groups"] = ["1", "1 2", "2", "", "", "", ""] * 4
    figure = ranks_figure.draw(table, reading="literal")
    assert len(figure.axes) == 4
    for axes in figure.axes:
        assert len([line for line in axes.lines if line.get_linewidth() == 2.4]) == 2


def test_ranks_and_profiles_have_all_bandits_and_protocols(of_seven):
    for name in ("ranks", "profiles"):
        written = " ".join(texts(FIGURES[name](of_seven)))
        for word in (*PROTOCOLS, *SEVEN):
            assert word in written


# Calibration


def test_calibration_has_a_panel_per_test_and_a_row_per_protocol():
    figure = calibration_figure.draw(calibration_table(["LinTS", "BLTS"]))
    assert len(figure.axes) == 3
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == list(PROTOCOLS)
    assert legend_texts(figure) == ["all, with 95 % interval", "LinTS", "BLTS"]
    for panel in figure.axes:
        together, lints, blts, nominal = panel.lines
        np.testing.assert_allclose(together.get_xdata(), [6.0] * 4)
        np.testing.assert_allclose(lints.get_xdata(), [4.0] * 4)  # both readings: 4 of 100
        np.testing.assert_allclose(blts.get_xdata(), [6.0] * 4)
        assert nominal.get_xdata() == [5.0, 5.0]
        (intervals,) = panel.collections
        np.testing.assert_allclose([segment[:, 0] for segment in intervals.get_segments()], [[1.0, 9.0]] * 4)


def test_no_mark_of_the_calibration_is_beyond_its_axis():
    table = calibration_table(["LinTS", "BLTS"], high=60.0)
    table.loc[table["bandit"] == "BLTS", "rejected"] = 40  # of 50
    table.loc[table["bandit"] == "LinTS", "rejected"] = 0
    for panel in calibration_figure.draw(table).axes:
        low, high = panel.get_xlim()
        assert low < 0 < 80 < high
