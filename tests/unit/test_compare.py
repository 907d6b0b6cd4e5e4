"""Collecting, comparing and drawing, on tables made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from scipy import stats

from balanced_bandits.analysis.collect import collect
from balanced_bandits.analysis.compare import best_settings, compare
from balanced_bandits.analysis.significance import paired_p
from balanced_bandits.figures.pairwise import draw, point_sizes
from balanced_bandits.figures.style import BLUE, RED, save
from balanced_bandits.files import write_arrays


def run(dataset, bandit, setting, right, shuffle=0):
    right = np.array(right, dtype=bool)
    bits = np.packbits(right).tobytes()
    return {"dataset": dataset, "bandit": bandit, "setting": setting, "shuffle": shuffle, "n": len(right),
            "regret": 1 - right.mean(), "correct": bits}  # fmt: skip


@pytest.fixture
def runs():
    return pd.DataFrame([
        run("a", "LinTS", "alpha=1", [1, 1, 1, 0, 0]),
        run("a", "LinTS", "alpha=2", [1, 1, 1, 1, 0]),
        run("a", "LinUCB", "alpha=1", [0, 0, 0, 1, 0]),
        run("b", "LinTS", "alpha=1", [0, 0, 1]),
        run("b", "LinTS", "alpha=2", [0, 1, 0]),
        run("b", "LinUCB", "alpha=1", [1, 0, 0]),
    ])  # fmt: skip


def test_the_best_setting_is_the_one_of_smallest_regret_and_of_equal_ones_the_first(runs):
    best = best_settings(runs).set_index(["dataset", "bandit"])["setting"]
    assert best["a", "LinTS"] == "alpha=2"
    assert best["b", "LinTS"] == "alpha=1"


def test_the_best_setting_is_judged_by_the_mean_over_shuffles():
    table = pd.DataFrame([
        run("a", "LinTS", "alpha=1", [1, 1, 1, 1], shuffle=0), run("a", "LinTS", "alpha=1", [0, 0, 0, 0], shuffle=1),
        run("a", "LinTS", "alpha=2", [1, 1, 1, 0], shuffle=0), run("a", "LinTS", "alpha=2", [1, 1, 0, 0], shuffle=1),
    ])  # fmt: skip
    best = best_settings(table)
    assert list(best["setting"]) == ["alpha=2"]
    assert best["regret"][0] == pytest.approx(3 / 8)


def test_pairs_and_counts(runs):
    pairs, counts = compare(runs, ["LinTS", "LinUCB"])
    assert len(pairs) == 4
    row = pairs.set_index(["row", "column", "dataset"]).loc["LinTS", "LinUCB", "a"]
    assert (row.setting_row, row.setting_column, row.outcome) == ("alpha=2", "alpha=1", "win")
    assert (row.regret_row, row.regret_column) == (pytest.approx(0.2), pytest.approx(0.8))
    assert row.p == pytest.approx(0.25)  # LinTS alone was right three times, LinUCB alone never
    by_pair = counts.set_index(["row", "column"])
    assert list(by_pair.loc["LinTS", "LinUCB"]) == [2, 1, 0, 1, 0, 0]
    assert list(by_pair.loc["LinUCB", "LinTS"]) == [2, 0, 1, 1, 0, 0]


def test_counts_of_a_pair_mirror_those_of_the_reversed_pair():
    rng = np.random.default_rng(0)
    table = pd.DataFrame([run(f"d{i}", b, "s", rng.random(40) < 0.6) for i in range(30) for b in ("A", "B", "C")])
    counts = compare(table, ["A", "B", "C"])[1].set_index(["row", "column"])
    for one, other in itertools.permutations("ABC", 2):
        assert counts.loc[(one, other)].wins == counts.loc[(other, one)].losses
        assert counts.loc[(one, other), ["wins", "losses", "ties"]].sum() == 30


def test_paired_p_is_the_exact_binomial_test_on_discordant_rounds():
    first = np.array([1] * 9 + [0] * 2 + [1] * 5 + [0] * 4, dtype=bool)
    second = np.array([0] * 9 + [1] * 2 + [1] * 5 + [0] * 4, dtype=bool)
    assert paired_p(first, second) == pytest.approx(2 * stats.binom.cdf(2, 11, 0.5))
    assert paired_p(first, first) == 1.0
    assert paired_p(first, second) == paired_p(second, first)


def test_collect_makes_a_row_a_run_and_keeps_what_was_left_out(tmp_path):
    about = {"source": "file", "locator": "x", "licence": "l", "sha256": "s", "n": 5, "d": 2, "K": 2}
    good = about | {"name": "good", "rejected": None, "encoding": {"numeric_columns": 2}}
    bad = about | {"name": "bad", "rejected": "all rows are of one class, 'x'"}
    settings = [{"alpha": 1.0}, {"alpha": 2.0}]
    correct = np.packbits(np.array([[[1, 1, 0, 0, 1]], [[0, 0, 0, 0, 1]]], dtype=bool), axis=-1)
    write_arrays(tmp_path / "g.npz", {"bandit": "LinTS", "settings": settings, "dataset": good}, correct=correct)
    write_arrays(tmp_path / "b.npz", {"bandit": "LinTS", "settings": settings, "dataset": bad})
    runs, datasets = collect([tmp_path / "g.npz", tmp_path / "b.npz"])
    assert list(runs["regret"]) == [pytest.approx(0.4), pytest.approx(0.8)]
    assert list(runs["setting"]) == ["alpha=1", "alpha=2"]
    assert list(datasets["left_out"]) == ["", "all rows are of one class, 'x'"]
    assert datasets["numeric_columns"][0] == 2


@pytest.mark.parametrize("bandits", [["A", "B"], ["A", "B", "C", "D", "E"]])
def test_the_grid_has_square_panels_with_names_points_and_counts(bandits):
    rng = np.random.default_rng(1)
    table = pd.DataFrame([run(f"d{i}", b, "s", rng.random(30) < 0.6) for i in range(12) for b in bandits])
    pairs, counts = compare(table, bandits)
    figure = draw(pairs, counts, bandits, left_out=3)
    figure.draw_without_rendering()
    panels = np.array(figure.axes).reshape(len(bandits), len(bandits))
    counted = counts.set_index(["row", "column"])
    for (i, row), (j, column) in itertools.product(enumerate(bandits), enumerate(bandits)):
        panel = panels[i, j]
        texts = [text.get_text() for text in panel.texts]
        box = panel.get_window_extent()
        assert box.width == pytest.approx(box.height, rel=1e-3)
        if i == j:
            assert texts == [row]
            continue
        of = counted.loc[(row, column)]
        assert texts == [f"{of.wins} won", f"{of.losses} lost", f"{of.ties} tied"]
        points = {to_rgba(BLUE)[:3]: 0, to_rgba(RED)[:3]: 0}
        for collection in panel.collections:
            for x, y in collection.get_offsets():
                colour = tuple(collection.get_facecolors()[0][:3])
                if colour in points:
                    points[colour] += 1
                    assert (y < x) == (colour == to_rgba(BLUE)[:3])  # blue: the row bandit's regret is smaller
        assert list(points.values()) == [of.wins, of.losses]
        assert panel.get_xlim() == panel.get_ylim()
    assert any("12 datasets (3 left out)" in text.get_text() for text in figure.texts)


def test_points_grow_with_significance():
    sizes = point_sizes(pd.Series([1.0, 0.5, 0.05, 1e-3, 1e-6, 1e-9, 0.0]))
    assert (np.diff(sizes[:5]) > 0).all()
    assert sizes[4] == sizes[5] == sizes[6]


def test_the_same_table_gives_the_same_bytes_in_every_format(runs, tmp_path):
    pairs, counts = compare(runs, ["LinTS", "LinUCB"])
    for attempt in ("one", "two"):
        save(draw(pairs, counts, ["LinTS", "LinUCB"], 0), [tmp_path / f"{attempt}.{e}" for e in ("pdf", "svg", "png")])
    for ending in ("pdf", "svg", "png"):
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()
