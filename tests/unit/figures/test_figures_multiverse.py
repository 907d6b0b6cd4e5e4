"""The figures and the page of the multiverse, from tables made by hand."""

import json

import pandas as pd
import pytest
from conftest import ROOT

from balanced_bandits.figures import shifts, tuning, universes, verdicts
from balanced_bandits.report.multiverse import curves_of_claims
from balanced_bandits.report.page import _multiverse, in_script

PROTOCOLS = ["paper", "held_out"]
NAMES = ["default", "ties smallest", "prior_weight 1"]
EFFECTS = {"default": -0.02, "ties smallest": 0.03, "prior_weight 1": -0.001}
VERDICTS = {"default": "holds", "ties smallest": "reversed", "prior_weight 1": "practically equal"}


@pytest.fixture(scope="module")
def claims():
    rows = [
        {"universe": name, "protocol": protocol, "better": "BLTS", "worse": worse, "verdict": VERDICTS[name],
         "difference": EFFECTS[name], "low": EFFECTS[name] - 0.005, "high": EFFECTS[name] + 0.005,
         "all_low": EFFECTS[name] - 0.01, "all_high": EFFECTS[name] + 0.01, "wins": 7, "ties": 1, "losses": 4,
         "datasets": 12, "families": 12}
        for name in NAMES for worse in ("LinTS", "LinUCB") for protocol in PROTOCOLS
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def levels():
    """With a choice whose levels are numbers."""
    rows = [
        (name, choice, f"{choice} {level if name == changed else usual}", name != changed, "0" * 16)
        for name in NAMES
        for choice, usual, changed, level in (
            ("prior_weight", "0.1", "prior_weight 1", "1"),
            ("ties", "middle", "ties smallest", "smallest"),
        )
    ]
    return pd.DataFrame(rows, columns=["universe", "choice", "level", "default", "identity"])


def text_of(figure):
    found = [text.get_text() for panel in figure.axes for text in panel.texts]
    found += [panel.get_title() for panel in figure.axes]
    found += [label.get_text() for panel in figure.axes for label in panel.get_yticklabels()]
    return found + [text.get_text() for text in figure.texts]


def test_the_curve_is_sorted_and_marks_choices_and_the_default(claims, levels):
    figure = universes.draw(claims, levels, claim="BLTS_LinTS", rope=0.01)
    curve, below = figure.axes
    points, rings = curve.collections[-2:]
    heights = points.get_offsets()[:, 1]
    assert list(heights) == sorted(heights)
    assert len(heights) == 3 * 2
    assert list(rings.get_offsets()[:, 1]) == [-2.0, -2.0]
    words = text_of(figure)
    for word in ("protocol", "paper", "held_out", "prior_weight", "0.1", "1", "ties", "smallest"):
        assert word in words
    assert "BLTS outperforms LinTS: 3 universes, each under 2 protocols, on 12 datasets" in words
    rows = universes.level_rows(claims[claims["worse"] == "LinTS"].reset_index(drop=True), levels)
    assert rows["ties"] == {
        "middle": [True, True, False, False, True, True],
        "smallest": [False, False, True, True, False, False],
    }
    assert len(below.collections) == 2 + 2 + 2


def test_the_counts_are_those_of_the_table_and_shares_stand_beside_them(claims):
    row = {"better": "BLTS", "worse": "LinTS", "holds": 3, "practically equal": 0, "inconclusive": 9, "reversed": 1,
           "can't be judged": 0, "of": 13, "low": -0.1, "median": 0.0, "high": 0.1}  # fmt: skip
    counted = pd.DataFrame([row | {"protocol": protocol} for protocol in (*PROTOCOLS, "all")])
    columns = ["combination", "better", "worse", "choice", "share", "low", "high", "deviation"]
    parts = {"reading": 0.7, "intercept": 0.05, "protocol": 0.2, "together": 0.05}
    rows = [(1, "BLTS", "LinTS", choice, share, 0.0, 1.0, 0.012) for choice, share in parts.items()]
    shares = pd.DataFrame(rows, columns=columns)
    words = text_of(verdicts.draw(counted, shares))
    assert words.count("3") == words.count("9") == words.count("1") == len(PROTOCOLS)
    assert "70" in words
    assert "5" not in words  # too narrow for a number
    assert "SD 1.2 points" in words
    assert "crossed: reading, intercept" in words
    assert len(verdicts.draw(counted, shares.iloc[:0]).axes) == 1


def test_single_choices_are_shown_and_combinations_are_not():
    rows = [
        (name, varied, "paper", "BLTS", "LinTS", shift, shift - 0.01, shift + 0.01)
        for name, varied, shift in (("ties smallest", "ties", 0.02), ("reading literal", "reading", 0.001),
                                    ("reading literal, ties smallest", "reading ties", 0.5))
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["universe", "varied", "protocol", "better", "worse", "shift", "low", "high"])
    figure = shifts.draw(table, protocol="paper", rope=0.01)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["ties smallest", "reading literal"]
    sure, open_ = figure.axes[0].collections[1:3]
    assert sure.get_offsets()[:, 0].tolist() == [2.0]
    assert open_.get_offsets()[:, 0].tolist() == [0.1]
    empty = shifts.draw(table[table["varied"] == "reading ties"], protocol="paper", rope=0.01)
    assert "No universe differs from the default in a single choice." in text_of(empty)


def test_tuning_shows_numbers_of_settings_and_fixed_settings():
    rows = [("default", number, protocol, "BLTS", "LinTS", "holds", -0.01 * number, -0.02 * number, 0.0)
            for number in (1, 3) for protocol in PROTOCOLS]  # fmt: skip
    table = pd.DataFrame(rows, columns=["universe", "settings", "protocol", "better", "worse", "verdict", "difference",
                                        "low", "high"])  # fmt: skip
    pairs = [(f"alpha={mine} gamma={gamma}", f"alpha={theirs}", 0.001 * mine * theirs * 10 * gamma)
             for mine in (1, 2) for gamma in (0.1, 0.2) for theirs in (1, 2)]  # fmt: skip
    settings = pd.DataFrame(
        [("default", "BLTS", "LinTS", mine, theirs, "inconclusive", value, 0.0, 0.0) for mine, theirs, value in pairs],
        columns=[
            "universe",
            "better",
            "worse",
            "setting_better",
            "setting_worse",
            "verdict",
            "difference",
            "low",
            "high",
        ],
    )
    found = tuning.matched(settings, "default", "BLTS", "LinTS")
    assert found[["row", "column"]].to_numpy().tolist() == [
        ["alpha=1", "gamma=0.1"], ["alpha=1", "gamma=0.2"], ["alpha=2", "gamma=0.1"], ["alpha=2", "gamma=0.2"],
    ]  # fmt: skip
    assert tuning.matched(
        settings[settings["setting_better"].str.contains("alpha=1")], "default", "BLTS", "LinTS"
    ).empty
    words = text_of(tuning.draw(table, settings, rope=0.01))
    assert {"+0.1", "+0.2", "+0.4", "+0.8", "γ=0.1", "α=2", "BLTS beats LinTS: default"} - {"γ=0.1"} <= set(words)


def test_the_page_has_the_numbers_of_the_table(claims, levels):
    data = curves_of_claims(claims, levels)
    assert json.loads(in_script(data)) == data
    assert data["choices"] == {"prior_weight": ["0.1", "1"], "ties": ["middle", "smallest"]}
    assert data["universes"] == [["default", [0, 0]], ["ties smallest", [0, 1]], ["prior_weight 1", [1, 0]]]
    assert data["verdicts"] == ["holds", "practically equal", "reversed"]
    curve = data["curves"]["BLTS outperforms LinUCB"]["held_out"]
    assert curve == [[-2.0, -2.5, -1.5, 0, 7, 4], [3.0, 2.5, 3.5, 2, 7, 4], [-0.1, -0.6, 0.4, 1, 7, 4]]
    counted = pd.DataFrame([{"better": "BLTS", "worse": "LinTS", "protocol": "paper"}])
    shown = _multiverse(ROOT / "workflow/report", {"claims": claims, "universes": levels, "verdicts": counted})
    assert shown["datasets"] == 12
    assert "</script" not in shown["data"] + shown["script"]
