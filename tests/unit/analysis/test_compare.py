"""Collecting, comparing and drawing, on tables made by hand."""

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba

from balanced_bandits.analysis.classification.collect import collect
from balanced_bandits.analysis.classification.compare import PAIR_COLUMNS, compare
from balanced_bandits.analysis.classification.counts import count
from balanced_bandits.analysis.classification.protocols import PROTOCOLS, choose
from balanced_bandits.core.files import write_arrays
from balanced_bandits.figures.pairwise import draw, point_sizes
from balanced_bandits.figures.style import BLUE, RED, save

RESIDUAL_PAPER = {"reading": "residual", "protocol": "paper", "test": "paired", "runs": 12}


def run(dataset, bandit, setting, right, shuffle=0, repeat=0, reading="residual"):
    right = np.array(right, dtype=bool)
    bits = np.packbits(right).tobytes()
    return {"dataset": dataset, "bandit": bandit, "reading": reading, "setting": setting, "repeat": repeat,
            "shuffle": shuffle, "n": len(right), "regret": 1 - right.mean(), "correct": bits}  # fmt: skip


def shares(dataset, bandit, by_setting, repeat=0):
    """Runs of ten rounds with so many right ones, by setting."""
    return [run(dataset, bandit, s, np.arange(10) < right, repeat=repeat) for s, right in by_setting.items()]


def accounts(left_out=None, capped=0):
    """The columns of datasets.csv that a grid looks at."""
    rows = [(name, reason, None, None) for name, reason in (left_out or {}).items()]
    rows += [(f"capped{i}", "", 100, None) for i in range(capped)]
    return pd.DataFrame(rows, columns=["name", "left_out", "rows_capped_from", "features_capped_from"])


def own_families(runs):
    return {name: name for name in runs["dataset"]}


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


# Tuning protocols


def chosen(protocol, table, families=None, number=12):
    found = choose(protocol, table, families or own_families(table), number).set_index(["dataset", "bandit"])
    return {key: (row["setting"], row["repeat"]) for key, row in found.iterrows()}


def test_the_papers_protocol_takes_the_setting_of_smallest_regret_and_of_equal_ones_the_first(runs):
    best = chosen("paper", runs)
    assert best["a", "LinTS"] == ("alpha=2", 0)
    assert best["b", "LinTS"] == ("alpha=1", 0)


def test_a_setting_is_judged_by_the_mean_over_shuffles():
    table = pd.DataFrame([
        run("a", "LinTS", "alpha=1", [1, 1, 1, 1], shuffle=0), run("a", "LinTS", "alpha=1", [0, 0, 0, 0], shuffle=1),
        run("a", "LinTS", "alpha=2", [1, 1, 1, 0], shuffle=0), run("a", "LinTS", "alpha=2", [1, 1, 0, 0], shuffle=1),
    ])  # fmt: skip
    best = choose("paper", table, {"a": "a"}, 12)
    assert list(best["setting"]) == ["alpha=2"]
    assert best["regret"][0] == pytest.approx(3 / 8)


def test_matched_takes_the_best_of_as_many_runs_for_every_bandit_and_paper_knows_no_repeats():
    few = [r for repeat, right in enumerate(((5, 6), (7, 4), (3, 9))) for r in
           shares("a", "Few", dict(zip(("s1", "s2"), right, strict=True)), repeat)]  # fmt: skip
    many = shares("a", "Many", {f"s{i}": right for i, right in enumerate((1, 2, 3, 4, 8))})
    table = pd.DataFrame(few + many)
    assert chosen("paper", table) == {("a", "Few"): ("s2", 0), ("a", "Many"): ("s4", 0)}
    # The first five runs: s1 and s2 of repeats 0 and 1, s1 of repeat 2; the one with nine right is the sixth.
    assert chosen("matched", table, number=5) == {("a", "Few"): ("s1", 1), ("a", "Many"): ("s4", 0)}
    assert chosen("matched", table, number=6)["a", "Few"] == ("s2", 2)
    # In whatever order the table has them.
    assert chosen("matched", table.sort_values("repeat", ascending=False, kind="stable"), number=5)["a", "Few"] == (
        "s1",
        1,
    )


def test_fixed_chooses_on_the_datasets_of_other_families():
    right = {"a": (9, 1), "a2": (9, 1), "b": (2, 5), "c": (4, 5)}
    table = pd.DataFrame(
        [r for name, (one, two) in right.items() for r in shares(name, "LinTS", {"s1": one, "s2": two})]
    )
    # With each dataset a family of its own, the others of `a` have (15, 11) right, those of `b` (22, 7).
    assert {key[0]: s for key, (s, _) in chosen("fixed", table).items()} == dict.fromkeys(right, "s1")
    # As one family, `a` and `a2` see b and c only, (6, 10); the others still see both of them.
    families = {"a": "a", "a2": "a", "b": "b", "c": "c"}
    assert {key[0]: s for key, (s, _) in chosen("fixed", table, families).items()} == {
        "a": "s2", "a2": "s2", "b": "s1", "c": "s1",
    }  # fmt: skip


def test_fixed_uses_neither_the_dataset_itself_nor_repeats():
    table = pd.DataFrame(
        shares("a", "X", {"s1": 1, "s2": 9})
        + shares("b", "X", {"s1": 6, "s2": 5})
        + shares("b", "X", {"s1": 0, "s2": 9}, 1)
    )
    assert chosen("fixed", table) == {("a", "X"): ("s1", 0), ("b", "X"): ("s2", 0)}


def test_fixed_takes_the_first_setting_where_there_is_no_other_family_or_no_difference():
    alone = pd.DataFrame(shares("a", "X", {"s1": 1, "s2": 9}))
    assert chosen("fixed", alone) == {("a", "X"): ("s1", 0)}
    equal = pd.DataFrame([r for name, right in (("a", 1), ("b", 3), ("c", 7)) for r in
                          shares(name, "X", {"s1": right, "s2": right})])  # fmt: skip
    assert set(chosen("fixed", equal).values()) == {("s1", 0)}


# Pairs and counts


def paper_rows(table):
    return table[(table["reading"] == "residual") & (table["protocol"] == "paper")]


def test_pairs_and_counts(runs):
    pairs = compare(runs, {"a": "a", "b": "b"}, ["LinTS", "LinUCB"], ["residual"], 12)
    assert list(pairs.columns) == PAIR_COLUMNS
    assert len(pairs) == 4 * len(PROTOCOLS)
    row = paper_rows(pairs).set_index(["row", "column", "dataset"]).loc["LinTS", "LinUCB", "a"]
    assert (row.setting_row, row.setting_column, row.outcome) == ("alpha=2", "alpha=1", "win")
    assert (row.regret_row, row.regret_column) == (pytest.approx(0.2), pytest.approx(0.8))
    assert row.p_paired == pytest.approx(0.25)  # LinTS alone was right three times, LinUCB alone never
    counts = paper_rows(count(pairs, np.random.default_rng(0))).set_index(["row", "column"])
    names = ["datasets", "families", "wins", "losses", "ties", "wins_paired", "losses_paired"]
    assert list(counts.loc[("LinTS", "LinUCB"), names]) == [2, 2, 1, 0, 1, 0, 0]
    assert list(counts.loc[("LinUCB", "LinTS"), names]) == [2, 2, 0, 1, 1, 0, 0]
    assert counts.loc[("LinTS", "LinUCB"), "win_share"] == 0.75
    assert counts.loc[("LinTS", "LinUCB"), "regret_difference"] == pytest.approx(-0.3)


def test_counts_of_a_pair_mirror_those_of_the_reversed_pair():
    rng = np.random.default_rng(0)
    table = pd.DataFrame([run(f"d{i}", b, "s", rng.random(40) < 0.6) for i in range(30) for b in ("A", "B", "C")])
    pairs = compare(table, own_families(table), ["A", "B", "C"], ["residual"], 12)
    counts = paper_rows(count(pairs, rng)).set_index(["row", "column"])
    for one, other in itertools.permutations("ABC", 2):
        mine, theirs = counts.loc[(one, other)], counts.loc[(other, one)]
        assert mine.wins == theirs.losses
        assert mine.wins_unpaired == theirs.losses_unpaired
        assert mine[["wins", "losses", "ties"]].sum() == 30
        assert mine.win_share == pytest.approx(1 - theirs.win_share)
        assert mine.win_share_low == pytest.approx(1 - theirs.win_share_high)
        assert mine.p_wilcoxon == pytest.approx(theirs.p_wilcoxon)
        assert mine.p_sign_holm == theirs.p_sign_holm >= mine.p_sign
    half = paper_rows(pairs)
    mirrored = half.rename(columns={"row": "column", "column": "row"}).set_index(["row", "column", "dataset"])
    for row in half.itertuples():
        other = mirrored.loc[(row.row, row.column, row.dataset)]
        assert (row.regret_row, row.p_paired) == (other.regret_column, other.p_paired)


def test_significant_wins_are_those_with_p_below_five_percent_on_the_dataset():
    table = pd.DataFrame([
        run("clear", "A", "s", [1] * 10), run("clear", "B", "s", [0] * 10),
        run("faint", "A", "s", [1, 0, 1]), run("faint", "B", "s", [0, 0, 1]),
        run("lost", "A", "s", [0] * 6 + [1] * 94), run("lost", "B", "s", [1] * 100),
    ])  # fmt: skip
    counts = paper_rows(
        count(compare(table, own_families(table), ["A", "B"], ["residual"], 1), np.random.default_rng(0))
    )
    row = counts[counts["row"] == "A"].iloc[0]
    assert (row.wins, row.losses, row.wins_paired, row.losses_paired) == (2, 1, 1, 1)


def test_readings_are_kept_apart_and_a_bandit_without_variance_is_in_all_of_them():
    table = pd.DataFrame([
        run("a", "LinTS", "s", [1, 1, 1]), run("a", "LinTS", "s", [0, 0, 0], reading="literal"),
        run("a", "ILTCB", "s", [1, 1, 0], reading="any"),
    ])  # fmt: skip
    pairs = compare(table, {"a": "a"}, ["LinTS", "ILTCB"], ["residual", "literal"], 12)
    outcome = pairs[pairs["row"] == "LinTS"].set_index(["reading", "protocol"])["outcome"]
    assert outcome["residual", "paper"] == outcome["residual", "fixed"] == "win"
    assert outcome["literal", "paper"] == outcome["literal", "matched"] == "loss"


def test_shuffles_are_compared_one_after_the_other():
    table = pd.DataFrame([
        run("a", b, "s", right, shuffle=shuffle)
        for b, both in (("A", ([1, 1, 1], [1, 0, 0])), ("B", ([1, 0, 0], [0, 1, 0])))
        for shuffle, right in enumerate(both)
    ])  # fmt: skip
    row = paper_rows(compare(table, {"a": "a"}, ["A", "B"], ["residual"], 12)).iloc[0]
    assert (row.regret_row, row.regret_column) == (pytest.approx(2 / 6), pytest.approx(4 / 6))
    assert row.p_paired == pytest.approx(0.625)  # A alone three times, B alone once


def test_collect_makes_a_row_a_run_and_keeps_what_was_left_out(tmp_path):
    about = {"source": "file", "locator": "x", "licence": "l", "sha256": "s", "n": 5, "d": 2, "K": 2}
    good = about | {"name": "good", "rejected": None, "encoding": {"numeric_columns": 2}}
    bad = about | {"name": "bad", "rejected": "all rows are of one class, 'x'"}
    job = {"bandit": "LinTS", "settings": [{"alpha": 1.0}, {"alpha": 2.0}], "readings": ["literal", "residual"]}
    right = np.zeros((2, 2, 2, 1, 5), dtype=bool)  # readings, settings, repeats, shuffles, rounds
    right[0, 0, 0, 0] = [1, 1, 0, 0, 1]
    right[1, 1, 1, 0] = [0, 0, 0, 0, 1]
    clipped = np.arange(8.0).reshape(2, 2, 2, 1) / 8
    rest = {"rounds": np.array([1, 5]), "curve": (~right).cumsum(axis=-1)[..., [0, 4]],
            "pulls": np.stack([right.sum(axis=-1), (~right).sum(axis=-1)], axis=-1),
            "penalties": np.full((2, 2, 2, 1, 2), np.nan)}  # fmt: skip
    arrays = {"correct": np.packbits(right, axis=-1), "clipped": clipped}
    write_arrays(tmp_path / "g.npz", job | {"dataset": good}, **arrays, **rest)
    write_arrays(tmp_path / "b.npz", job | {"dataset": bad})
    runs, datasets = collect([tmp_path / "g.npz", tmp_path / "b.npz"], {"good": "good", "bad": "b"})
    assert len(runs) == 8
    by = runs.set_index(["reading", "setting", "repeat", "shuffle"])["regret"]
    assert by["literal", "alpha=1", 0, 0] == pytest.approx(0.4)
    assert by["residual", "alpha=2", 1, 0] == pytest.approx(0.8)
    assert (by == 1.0).sum() == 6
    assert sorted(runs["clipped"]) == list(np.arange(8) / 8)
    assert list(datasets["left_out"]) == ["", "all rows are of one class, 'x'"]
    assert list(datasets["family"]) == ["good", "b"]
    assert datasets["numeric_columns"][0] == 2


@pytest.mark.parametrize("bandits", [["A", "B"], ["A", "B", "C", "D", "E"]])
def test_the_grid_has_square_panels_with_names_points_and_counts(bandits):
    rng = np.random.default_rng(1)
    table = pd.DataFrame([run(f"d{i}", b, "s", rng.random(30) < 0.6) for i in range(12) for b in bandits])
    pairs = compare(table, own_families(table), bandits, ["residual"], 12)
    counts = count(pairs, rng)
    left_out = {"dull": "all rows are of one class, 'same'", "gone": "status 404 " + 40 * "no ", "odd": "it is odd"}
    datasets = accounts(left_out, capped=2)
    figure = draw(pairs, counts, datasets, bandits=bandits, **RESIDUAL_PAPER)
    figure.draw_without_rendering()
    panels = np.array(figure.axes).reshape(len(bandits), len(bandits))
    counted = paper_rows(counts).set_index(["row", "column"])
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
    (note,) = [text.get_text() for text in figure.texts if "12 datasets (3 left out, 2 capped)" in text.get_text()]
    assert "(residual)" in note
    assert "(paper)" in note
    assert "paired test on the same rounds" in note
    assert "left out: dull (all rows are of" in note
    assert note.endswith(" ..., see datasets.csv")
    (axis,) = [text for text in figure.texts if "column bandit" in text.get_text()]
    below = max(text.get_window_extent().y1 for text in figure.texts if "left out" in text.get_text())
    assert below <= axis.get_window_extent().y0
    widest = max(text.get_window_extent().x1 for text in figure.texts)
    assert widest <= figure.get_figwidth() * figure.dpi


def test_a_grid_shows_its_own_reading_protocol_and_test():
    table = pd.DataFrame([
        run("a", "A", "s", [1] * 8), run("a", "B", "s", [0] * 8),
        run("a", "A", "s", [0] * 8, reading="literal"), run("a", "B", "s", [1] * 8, reading="literal"),
    ])  # fmt: skip
    pairs = compare(table, {"a": "a"}, ["A", "B"], ["residual", "literal"], 5)
    counts = count(pairs, np.random.default_rng(0))
    for reading, protocol, test, won in (("residual", "matched", "public", 1), ("literal", "fixed", "unpaired", 0)):
        shown = {"reading": reading, "protocol": protocol, "test": test, "runs": 5}
        figure = draw(pairs, counts, accounts(), bandits=["A", "B"], **shown)
        assert figure.axes[1].texts[0].get_text() == f"{won} won"
        note = " ".join(text.get_text() for text in figure.texts)
        assert f"({reading})" in note
        assert f"({protocol})" in note
        assert ("best of 5 runs" in note) == (protocol == "matched")
        assert ("erf(|z|)" in note) == (test == "public")


def test_points_grow_with_significance():
    sizes = point_sizes(pd.Series([1.0, 0.5, 0.05, 1e-3, 1e-6, 1e-9, 0.0]))
    assert (np.diff(sizes[:5]) > 0).all()
    assert sizes[4] == sizes[5] == sizes[6]


def test_the_same_table_gives_the_same_bytes_in_every_format(runs, tmp_path):
    pairs = compare(runs, own_families(runs), ["LinTS", "LinUCB"], ["residual"], 12)
    counts = count(pairs, np.random.default_rng(0))
    for attempt in ("one", "two"):
        figure = draw(pairs, counts, accounts(), bandits=["LinTS", "LinUCB"], **RESIDUAL_PAPER)
        save(figure, [tmp_path / f"{attempt}.{e}" for e in ("pdf", "svg", "png")])
    for ending in ("pdf", "svg", "png"):
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()
