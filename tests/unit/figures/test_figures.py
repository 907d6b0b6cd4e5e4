"""The figures of the synthetic example, drawn from small tables made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.contour import ContourSet
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from balanced_bandits.analysis.synthetic.table1 import best_by_criterion
from balanced_bandits.bandits import BANDITS
from balanced_bandits.core.errors import InputError
from balanced_bandits.figures import atlas, criteria, curves, dimensions, evolution, settings, surfaces
from balanced_bandits.figures.style import ARM_COLOURS, ARM_NAMES, COLUMN, TEXT, bandit_styles, save
from balanced_bandits.vocabulary import DIMENSIONS

PAPER = ["LinTS", "LinUCB", "BLTS", "BLUCB"]
FIVE = [*PAPER, "Uniform"]  # the last one is not in the paper's Table 1
PERCENT = {"LinTS": 84.0, "LinUCB": 51.0, "BLTS": 92.0, "BLUCB": 79.0}
TARGETS = {"well": ["truth"], "mis": ["predictors", "value"]}


def square(side):
    ticks = np.linspace(-3.5, 3.5, side)
    return np.column_stack([np.repeat(ticks, side), np.tile(ticks, side)])


def surface_table(side=15):
    x = square(side)
    bowl = 0.5 * ((x + 1) ** 2).sum(axis=1)
    parts = [pd.DataFrame({"x0": x[:, 0], "x1": x[:, 1], "arm": arm, "expected_reward": height})
             for arm, height in enumerate((bowl, np.ones(len(x)), 2 - bowl))]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def evolution_files(columns=(0, 20, 2000), horizon=2000, bandits=PAPER, side=29):
    """Arm 0 is greedy for x0 > 1, arm 2 elsewhere; arms are given in turn."""
    rng = np.random.default_rng(0)
    grid = square(side)
    arrays = {}
    for spec, bandit in itertools.product(TARGETS, bandits):
        warm = rng.uniform(-1.15, -0.85, (50, 2))
        arrays[f"{spec}.{bandit}.x"] = np.vstack([warm, rng.standard_normal((horizon, 2))])
        arrays[f"{spec}.{bandit}.arms"] = np.arange(50 + horizon) % 3
        arrays[f"{spec}.{bandit}.greedy"] = np.tile(np.where(grid[:, 0] > 1, 0, 2), (len(columns), 1))
    names = {spec: dict.fromkeys(bandits, "alpha=0.25 gamma=0.1") for spec in TARGETS}
    record = {"bandits": list(bandits), "columns": list(columns), "settings": names, "warm_start": 50}
    optima = {
        "grid": grid,
        "arms_true": np.where(((grid + 1) ** 2).sum(axis=1) < 2, 2, 0),
        "arms_predictors": np.where(grid.sum(axis=1) > -1, 0, 2),
        "arms_value": np.select([grid.sum(axis=1) > -0.5, grid[:, 0] > 0], [0, 1], 2),
    }
    return (record, arrays), ({}, optima)


def curve_table(bandits=FIVE):
    rounds = np.array([1, 10, 100])
    parts = [
        pd.DataFrame({"spec": spec, "bandit": bandit, "setting": "alpha=1", "round": rounds, "regret_mean": rounds / 10,
                      "regret_low": rounds / 20, "regret_high": rounds / 5, "found_percent": [0, 50, 80],
                      "found_low": [0, 40, 70], "found_high": [4, 60, 90]})
        for spec, bandit in itertools.product(TARGETS, bandits)
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def rate_table(bandits=FIVE):
    rows = []
    for spec, bandit, alpha in itertools.product(TARGETS, bandits, (0.25, 1)):
        for target, when, threshold in itertools.product(TARGETS[spec], ("some", "end"), (0.95, 0.9)):
            percent = 40.0 + 20 * alpha + 100 * (1 - threshold)
            rows.append({"spec": spec, "bandit": bandit, "setting": f"alpha={alpha:g}", "target": target, "when": when,
                         "threshold": threshold, "percent": percent, "percent_low": percent - 9,
                         "percent_high": percent + 8})  # fmt: skip
    return pd.DataFrame(rows)


def table1(bandits=FIVE):
    rounds = {("well", "LinUCB"): 240, ("well", "BLUCB"): 110, ("mis", "BLTS"): 20}
    return pd.DataFrame([
        {"spec": spec, "bandit": bandit, "setting": "alpha=1", "target": TARGETS[spec][0], "when": "some",
         "threshold": 0.95, "percent": 65.0, "low": 56.0, "high": 73.0, "paper_percent": PERCENT.get(bandit),
         "paper_rounds": rounds.get((spec, bandit))}
        for spec, bandit in itertools.product(TARGETS, bandits)
    ])  # fmt: skip


def atlas_tables(bandits=FIVE):
    rows, orderings = [], []
    keys = itertools.product(("default", "no intercept"), TARGETS, ("some", "end"), (0.95, 0.9), ("best", "gamma=0.1"))
    for cell, spec, when, threshold, rule in keys:
        for target in TARGETS[spec]:
            key = {"cell": cell, "spec": spec, "target": target, "when": when, "threshold": threshold,
                   "setting_rule": rule}  # fmt: skip
            for bandit, percent in zip(bandits, (80.0, 99.0, 10.0, 79.0, 33.0), strict=False):
                rows.append(key | {"bandit": bandit, "simulations": 20, "percent": percent, "low": percent - 5,
                                   "high": percent + 5, "paper_percent": PERCENT.get(bandit)})  # fmt: skip
            for better, worse, verdict in (("BLTS", "LinTS", "holds"), ("BLTS", "BLUCB", "inconclusive"),
                                           ("LinTS", "LinUCB", "reversed")):  # fmt: skip
                orderings.append(key | {"better": better, "worse": worse, "verdict": verdict})
    return pd.DataFrame(rows), pd.DataFrame(orderings)


def dimension_tables(readings=3):
    """Scores of all levels, the first of each dimension the best; refreshes after every step are too costly."""
    rows = [
        {"dimension": name, "words": of.words, "level": level, "level_words": of.levels[level].words, "against": "",
         "tried": 0 if level == "step" else 10, "too_costly": 7 * (level == "step"), "best": -30.0 - i,
         "low": -60.0 - i, "median": -45.0 - i, "high": -40.0 - i, "explains": 0.25}
        for name, of in DIMENSIONS.items() for i, level in enumerate(of.levels)
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    table.loc[table["tried"] == 0, ["best", "low", "median", "high"]] = np.nan
    default = {name: next(iter(of.levels)) for name, of in DIMENSIONS.items()}
    best = pd.DataFrame([default] + [default | {"variance": "mean"}] * (readings - 1))
    return table, best


FIGURES = {
    "surfaces": lambda: surfaces.draw(surface_table()),
    "evolution_well": lambda: evolution.draw(*evolution_files(), specification="well"),
    "evolution_mis": lambda: evolution.draw(*evolution_files(), specification="mis"),
    "curves": lambda: curves.draw(curve_table(), table1()),
    "criteria": lambda: criteria.draw(best_by_criterion(rate_table()), table1()),
    "settings": lambda: settings.draw(rate_table(), table1()),
    "atlas": lambda: atlas.draw(*atlas_tables()),
    "dimensions": lambda: dimensions.draw(*dimension_tables()),
}


def texts(artist):
    return [text.get_text() for text in artist.findobj(Text) if text.get_visible() and text.get_text()]


def legend_texts(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_table_gives_the_same_bytes_in_every_format(name, tmp_path):
    for attempt in ("one", "two"):
        save(FIGURES[name](), [tmp_path / f"{attempt}.{ending}" for ending in ("pdf", "svg", "png")])
    for ending in ("pdf", "svg", "png"):
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_that_is_written_is_cut_off(name):
    figure = FIGURES[name]()
    assert figure.get_figwidth() in (COLUMN, TEXT)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    drawn = figure.get_tightbbox(renderer)  # inches
    assert drawn.x0 >= -0.01
    assert drawn.y0 >= -0.01
    assert drawn.x1 <= figure.get_figwidth() + 0.01
    assert drawn.y1 <= figure.get_figheight() + 0.01


def test_bandits_differ_without_colour_too():
    styles = bandit_styles([*BANDITS, "Mine", "Yours"])
    assert len({(str(style["linestyle"])) for style in styles.values()}) == len(styles) == 12
    marks = {(style["marker"], style["markerfacecolor"] == "white") for style in styles.values()}
    assert len(marks) == 12


def test_a_bandit_of_the_comparison_looks_the_same_in_every_figure():
    """Figures have the bandits in different orders."""
    names = ["LinTS", "LinUCB", "BLTS", "BLUCB", "ILTCB", "EpsilonGreedy", "Greedy"]
    assert bandit_styles(names) == bandit_styles(sorted(names))


def test_arms_differ_in_lightness():
    lightness = sorted(np.dot(to_rgb(colour), [0.299, 0.587, 0.114]) for colour in ARM_COLOURS)
    assert (np.diff(lightness) > 0.15).all()


# Figure 1


def test_the_surfaces_are_one_collection_in_the_arms_colours():
    figure = FIGURES["surfaces"]()
    (axes,) = figure.axes
    (collection,) = axes.collections
    colours = np.array(collection.get_facecolor())[:, :3]
    hues = {tuple(np.round(colour / colour.max(), 2)) for colour in colours}
    assert hues == {tuple(np.round(np.array(to_rgb(c)) / max(to_rgb(c)), 2)) for c in ARM_COLOURS}
    assert legend_texts(figure) == list(ARM_NAMES)
    assert {"$x_0$", "$x_1$", "expected reward"} <= set(texts(axes))


def test_no_face_goes_through_another_surface():
    faces, colours = surfaces._faces(surface_table(), [0, 1, 2])
    assert np.isfinite(np.array(colours)).all()
    of_an_arm = len(faces) // 3
    assert of_an_arm > 14 * 14  # some cells are cut
    for red, yellow, blue in zip(*(faces[i * of_an_arm : (i + 1) * of_an_arm] for i in range(3)), strict=True):
        np.testing.assert_array_equal(red[:, :2], blue[:, :2])
        above = red[:, 2] - blue[:, 2]
        assert (above >= -1e-9).all() or (above <= 1e-9).all()
        assert (red[:, 2] >= yellow[:, 2] - 1e-9).all() or (red[:, 2] <= yellow[:, 2] + 1e-9).all()


def area(corners):
    x, y = corners[:, 0], corners[:, 1]
    return 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def test_a_polygon_is_cut_where_the_sign_changes():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    left, right = surfaces._cut(corners, np.array([1.0, -3.0, -3.0, 1.0]))
    assert area(left) == pytest.approx(0.25)
    assert area(right) == pytest.approx(0.75)
    assert len(surfaces._cut(corners, np.array([0.0, 2.0, 3.0, -1e-12]))) == 1
    one, other = surfaces._cut(corners, np.array([0.0, 1.0, 0.0, -1.0]))
    assert area(one) == area(other) == pytest.approx(0.5)


# Figures 2 and 3


@pytest.mark.parametrize("spec", ["well", "mis"])
def test_a_row_a_bandit_and_a_column_a_number_of_observations(spec):
    figure = FIGURES[f"evolution_{spec}"]()
    panels = np.array(figure.axes).reshape(4, 3)
    assert [panel.get_title() for panel in panels[0]] == ["0", "20", "2,000"]
    for bandit, row in zip(PAPER, panels, strict=True):
        assert [text.get_text() for text in row[0].texts] == [bandit, "α=0.25\nγ=0.1"]
    legend = legend_texts(figure)
    assert [text for text in legend if text.startswith("given")] == [f"given {name}" for name in ARM_NAMES]
    assert [text for text in legend if text.startswith("greedy")] == [f"greedy: {name}" for name in ARM_NAMES]
    boundaries = [text for text in legend if text.startswith("boundary")]
    assert len(boundaries) == {"well": 1, "mis": 2}[spec]
    assert "observations after the warm start" in texts(figure)
    for panel in panels.ravel():
        box = panel.get_window_extent()
        assert box.width == pytest.approx(box.height, rel=1e-3)


def test_points_have_the_colour_of_their_arm_and_thousands_are_thinned_out():
    (record, arrays), optima = evolution_files()
    panels = np.array(evolution.draw((record, arrays), optima, specification="well").axes).reshape(4, 3)
    for panel, shown in ((panels[2, 0], 50), (panels[2, 1], 70), (panels[2, 2], 684)):  # 2050, every third
        points = [c for c in panel.collections if not isinstance(c, ContourSet)]
        assert [tuple(c.get_facecolor()[0][:3]) for c in points] == [to_rgb(colour) for colour in ARM_COLOURS]
        assert sum(len(c.get_offsets()) for c in points) == shown
    few = [c for c in panels[2, 1].collections if not isinstance(c, ContourSet)]
    for arm, collection in enumerate(few):
        given = arrays["well.BLTS.x"][:70][arrays["well.BLTS.arms"][:70] == arm]
        np.testing.assert_allclose(collection.get_offsets(), given)
    many = [c for c in panels[2, 2].collections if not isinstance(c, ContourSet)]
    assert many[0].get_sizes()[0] < few[0].get_sizes()[0]


def test_regions_lie_where_the_policy_has_them_and_the_warm_start_is_framed():
    panel = FIGURES["evolution_well"]().axes[0]
    (image,) = panel.images
    shown = image.get_array()
    side = len(shown)
    assert (shown[:, -1] == 0).all()  # arm 0 on the right, where x0 is large, from bottom to top
    assert (shown[:, 0] == 2).all()
    assert image.origin == "lower"
    assert image.get_extent()[0] == pytest.approx(-3.5 - 3.5 / (side - 1))
    (frame,) = [patch for patch in panel.patches if isinstance(patch, Rectangle)]
    assert frame.get_x() < -1.1 < -0.9 < frame.get_x() + frame.get_width()
    assert frame.get_width() < 0.5


def test_the_boundary_is_that_of_the_optimum():
    well, mis = (FIGURES[f"evolution_{spec}"]().axes[0] for spec in ("well", "mis"))
    (circle,) = [c for c in well.collections if isinstance(c, ContourSet)]
    points = np.vstack([path.vertices for path in circle.get_paths()])
    np.testing.assert_allclose(np.hypot(*(points + 1).T), np.sqrt(2), atol=0.2)  # the grid's steps are 0.25
    solid, *dashed = [c for c in mis.collections if isinstance(c, ContourSet)]
    points = np.vstack([path.vertices for path in solid.get_paths()])
    np.testing.assert_allclose(points.sum(axis=1), -1, atol=0.26)
    assert solid.get_linestyle()[0][1] is None
    assert all(line.get_linestyle()[0][1] is not None for line in dashed)
    # Arm 0's boundary with the others, then that of arms 1 and 2, which is x0 = 0.
    points = np.vstack([path.vertices for path in dashed[1].get_paths()])
    assert len(dashed) == 2
    np.testing.assert_allclose(points[:, 0], 0, atol=0.26)


def test_a_short_run_has_fewer_columns_and_a_wrong_file_gets_a_sentence():
    figure = evolution.draw(
        *evolution_files(columns=[0, 20], horizon=30, bandits=["LinTS", "Uniform"]), specification="mis"
    )
    assert len(figure.axes) == 4
    panels = np.array(figure.axes).reshape(2, 2)
    box = panels[0, 0].get_window_extent()
    assert box.width == pytest.approx(box.height, rel=1e-3)
    with pytest.raises(InputError, match="has fewer than 240 rounds"):
        evolution.draw(*evolution_files(columns=[0, 240], horizon=30), specification="mis")


# Curves


def test_curves_have_a_line_and_a_band_a_bandit_and_the_papers_rounds():
    figure = FIGURES["curves"]()
    panels = np.array(figure.axes).reshape(2, 2)
    assert [panel.get_title() for panel in panels[0]] == ["well-specified", "mis-specified"]
    assert [panel.get_xscale() for panel in panels.ravel()] == ["log"] * 4
    styles = bandit_styles(FIVE)
    for panel in panels.ravel():
        lines = [line for line in panel.lines if line.get_label() in FIVE]
        assert [line.get_label() for line in lines] == FIVE
        assert [line.get_color() for line in lines] == [styles[bandit]["color"] for bandit in FIVE]
        assert len(panel.collections) == 5
    np.testing.assert_allclose(panels[1, 0].lines[0].get_ydata(), [0, 50, 80])
    assert [text.get_text() for text in panels[1, 0].texts] == ["LinUCB 240", "BLUCB 110"]
    assert [text.get_text() for text in panels[1, 1].texts] == ["BLTS 20"]
    assert legend_texts(figure) == [*FIVE, "rounds to find it, in the paper's text"]
    assert panels[0, 0].get_ylabel() == "cumulative regret"


def test_curves_without_bands_or_marks():
    table = curve_table(["Uniform"])
    table[["regret_low", "regret_high"]] = np.nan  # one simulation has no interval
    figure = curves.draw(table, table1(["Uniform"]))
    assert legend_texts(figure) == ["Uniform"]
    assert [len(panel.lines) for panel in figure.axes] == [1, 1, 1, 1]


# Criteria and settings


def test_criteria_have_a_panel_a_target_and_time_and_the_papers_numbers():
    figure = FIGURES["criteria"]()
    titles = [panel.get_title() for panel in figure.axes if panel.axison]
    assert titles == [
        "true optimum,\nat some time", "true optimum,\nat the end", "best linear predictors,\nat some time",
        "best linear predictors,\nat the end", "value-best linear policy,\nat some time",
        "value-best linear policy,\nat the end",
    ]  # fmt: skip
    panel = figure.axes[0]
    assert [label.get_text() for label in panel.get_xticklabels()] == [".9", ".95", "paper"]
    assert len(panel.containers) == 5
    for container in panel.containers:
        np.testing.assert_allclose(container.lines[0].get_ydata(orig=False), [70, 65])  # the better setting
    papers = [line.get_ydata()[0] for line in panel.lines if len(line.get_ydata()) == 1]
    assert papers == list(PERCENT.values())
    assert legend_texts(figure) == FIVE


def test_the_best_setting_is_taken_by_each_criterion_and_of_equal_ones_the_first():
    rates = rate_table(["LinTS"])
    rates["percent"] = 50.0
    rates.loc[(rates["setting"] == "alpha=1") & (rates["when"] == "end"), "percent"] = 51.0
    best = best_by_criterion(rates).set_index(["spec", "target", "when", "threshold"])["setting"]
    assert best["well", "truth", "some", 0.95] == "alpha=0.25"
    assert best["well", "truth", "end", 0.95] == "alpha=1"


def test_every_setting_has_a_place_and_the_one_taken_is_filled():
    figure = FIGURES["settings"]()
    assert [panel.get_ylabel().split("\n")[0] for panel in figure.axes] == ["well-specified", "mis-specified"]
    assert [label.get_text() for label in figure.axes[1].get_xticklabels()] == ["α=0.25", "α=1"] * 5
    assert [text.get_text() for text in figure.axes[0].texts] == FIVE
    for panel in figure.axes:
        assert len(panel.containers) == 5
        for container in panel.containers:
            # by the criterion of Table 1 alone
            np.testing.assert_allclose(container.lines[0].get_ydata(orig=False), [50, 65])
        taken = [line for line in panel.lines if line.get_markersize() == 6]
        assert [float(line.get_ydata()[0]) for line in taken] == [65] * 5
        papers = [c.get_segments()[0][0][1] for c in panel.collections if len(c.get_segments()) == 1]
        assert papers == list(PERCENT.values())
    assert legend_texts(figure)[1:] == ["the setting of Table 1", "the paper's number"]


# The atlas


def test_the_atlas_tells_where_the_papers_numbers_lie():
    numbers, orderings = atlas_tables()
    missing = (numbers["cell"] == "no intercept") & (numbers["bandit"] == "LinTS")
    numbers.loc[missing & (numbers["spec"] == "well"), "percent"] = np.nan
    figure = atlas.draw(numbers[~(missing & (numbers["spec"] == "mis"))], orderings)
    (panel,) = figure.axes
    written = [text.get_text() for text in panel.texts]
    for bandit in FIVE:
        assert written.count(bandit) == 2
    # 2 cells, 2 x 2 criteria for the predictors and as many for the value-best policy less the default, 1 other rule
    rows = 2 + 7 + 1
    assert written.count("80") == 2 * rows - 2  # 75 to 85 holds 84
    assert written.count("99▴") == 2 * rows
    assert written.count("10▾") == 2 * rows
    assert written.count("33") == 2 * rows  # no number in the paper, no sign
    assert written.count("–") == 2 + 2  # in the paper's row, and where there is no number of ours
    fills = [to_rgb(patch.get_facecolor()) for patch in panel.patches]
    assert fills.count(to_rgb(atlas.PLACES["inside"][0])) == 2 * 2 * rows - 2  # LinTS and BLUCB
    assert fills.count(to_rgb(atlas.PLACES["lower"][0])) == 2 * rows
    assert fills.count(to_rgb(atlas.PLACES["higher"][0])) == 2 * rows
    # Below each number its interval, here ten points wide, and a tick where the paper has a number.
    spans = [np.ptp(line.get_xdata()) for line in panel.lines if len(line.get_xdata()) == 2]
    assert np.isclose(spans, 10 * (atlas.NUMBER - 0.06) / 100).sum() == 2 * 5 * rows - 2
    assert spans.count(0.0) == 2 * 4 * rows - 2


def test_the_atlas_tells_which_orderings_hold_by_shape_and_fill():
    figure = FIGURES["atlas"]()
    marks = [(line.get_marker(), line.get_markerfacecolor() == "white") for line in figure.axes[0].lines]
    assert marks.count(("o", False)) == marks.count(("o", True)) == marks.count(("x", False)) == 20
    written = [text.get_text() for text in figure.axes[0].texts]
    assert written.count("BLTS > LinTS") == 2
    assert any(text.startswith("20 simulations per row") for text in texts(figure))
    assert legend_texts(figure)[3:] == ["holds", "inconclusive", "reversed"]


def test_rows_of_the_atlas_depart_from_the_default_in_one_respect():
    shown = atlas.blocks(atlas_tables()[0])
    assert {title: [row.label for row in rows] for title, rows in shown.items()} == {
        "how the bandits estimate: variance, top of the λ grid, intercept; the first row is the default": [
            "default", "no intercept",
        ],
        "what counts as found; the default is: predictors, some time, ≥ 0.95": [
            "predictors, some time, ≥ 0.9", "predictors, the end, ≥ 0.9", "predictors, the end, ≥ 0.95",
            "value-best, some time, ≥ 0.9", "value-best, some time, ≥ 0.95", "value-best, the end, ≥ 0.9",
            "value-best, the end, ≥ 0.95",
        ],
        "how the setting is chosen; the default is: best": ["γ=0.1"],
    }  # fmt: skip
    _, criteria_rows, _ = shown.values()
    assert {row.cell for row in criteria_rows} == {"default"}
    assert {row.rule for row in criteria_rows} == {"best"}
    assert {row.targets["well"] for row in criteria_rows} == {"truth"}


# The dimensions of readings


def test_every_level_has_its_scores_and_the_best_reading_its_band():
    figure = dimensions.draw(*dimension_tables())
    shown = texts(figure)
    for dimension in DIMENSIONS.values():
        assert f"{dimension.words} (25 %)" in shown
        words = [level.words for level in dimension.levels.values()]
        assert f"{words[0]} ○" in shown
        assert all(f"{word}   " in shown for word in words[1:])
    assert shown.count("too costly") == 1
    bands = [patch for axes in figure.axes for patch in axes.patches]
    assert len(bands) == len(DIMENSIONS)
    assert "the best reading of the last rung" in legend_texts(figure)


def test_without_a_reading_but_the_default_there_is_no_band():
    figure = dimensions.draw(*dimension_tables(readings=1))
    assert not [patch for axes in figure.axes for patch in axes.patches]
    assert "the best reading of the last rung" not in legend_texts(figure)
