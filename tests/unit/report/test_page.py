"""The report's page without a browser: captions, the explorer's data, and text that comes from data."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import ROOT
from handmade_tables import BANDITS, played, rounds_like_the_paper, scores_and_pairs, tables

from balanced_bandits.analysis.classification.collect import CURVE_COLUMNS
from balanced_bandits.analysis.classification.protocols import ALL_SETTINGS
from balanced_bandits.analysis.paper import CLAIMS
from balanced_bandits.analysis.scorecard import scorecard
from balanced_bandits.core.errors import InputError
from balanced_bandits.environments.classification import spaced_rounds
from balanced_bandits.report.explorer import explorer
from balanced_bandits.report.page import Drawing, _caption, in_script, matrix, placebo, readable, render
from balanced_bandits.vocabulary import PROTOCOLS, TEST

WILDCARDS = {"specification": "mis", "reading": "literal", "protocol": "held_out"}


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/report").glob("*.rst")), ids=lambda path: path.stem)
def test_every_caption_of_the_workflow_can_stand_on_the_page(path):
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    words = _caption(
        path, {"config": config, "wildcards": WILDCARDS, "params": {"datasets": "All are shown.", "view": "Two."}}
    )
    assert words.startswith("<p><strong>")
    assert not re.search(r"\{\{|\{%|\*\*|system-message", words)


def test_a_caption_that_asks_for_more_gets_a_sentence(tmp_path):
    (tmp_path / "odd.rst").write_text("**Odd.** {{ snakemake.wildcards.colour }}")
    with pytest.raises(InputError, match=r"odd.rst: the caption can't be filled in \(.*colour"):
        _caption(tmp_path / "odd.rst", {"wildcards": WILDCARDS})


@pytest.fixture(scope="module")
def made():
    """Runs on two datasets, their pairs and curves, and the table of datasets, in another order and with one more."""
    runs, curves = played(["b", "a"], shuffles=10)
    _, pairs = scores_and_pairs(runs, {"a": "a", "b": "b"})
    datasets = pd.DataFrame({"name": ["a", "gone", "b"], "n": 40, "d": [1, 2, 3], "K": 2, "source": "file",
                             "family": "f", "shuffles": [10, 10, 10]})  # fmt: skip
    return pairs, curves, datasets


def test_the_explorer_has_the_numbers_of_the_tables(made):
    pairs, curves, datasets = made
    data = explorer(pairs, curves, datasets, BANDITS)
    assert json.loads(in_script(data)) == data
    assert data["datasets"]["name"] == ["a", "b"]
    assert data["datasets"]["d"] == [1, 3]
    assert data["datasets"]["shuffles"] == [10, 10]
    assert data["test"] == TEST
    assert [(view["reading"], view["protocol"]) for view in data["views"]] == [
        (reading, protocol) for reading in ("residual", "literal") for protocol in PROTOCOLS
    ]
    for view in data["views"]:
        here = pairs[(pairs["reading"] == view["reading"]) & (pairs["protocol"] == view["protocol"])]
        for row in here[here["row"].isin(BANDITS)].itertuples():
            i, j, at = BANDITS.index(row.row), BANDITS.index(row.column), data["datasets"]["name"].index(row.dataset)
            assert view["regret"][i][at] == pytest.approx(row.regret_row, abs=1e-6)
            assert view["regret"][j][at] == pytest.approx(row.regret_column, abs=1e-6)
            assert view["setting"][i][at] == row.setting_row
            assert view["p"][f"{i},{j}"][at] == pytest.approx(row.p, rel=0.01)
            assert view["error"][f"{i},{j}"][at] == pytest.approx(row.difference_se, abs=1e-5)
            curve = data["curves"][view["curve"][i][at]]
            assert len(curve) == len(data["rounds"][data["rounds_of"][at]]) == len(spaced_rounds(40))
            if view["protocol"] == "typical":  # all settings on every shuffle
                assert curve[-1] / 40 == pytest.approx(row.regret_row, abs=0.1 / 40)
    assert len(data["curves"]) <= 2 * (4 * 2 + 1) * 3  # each setting once, and all together, whoever chooses it


def test_the_explorer_has_only_the_bandits_of_the_grid(made):
    data = explorer(*made, BANDITS[:3])
    assert data["bandits"] == BANDITS[:3]
    assert [len(data["views"][0][key]) for key in ("regret", "setting", "curve")] == [3, 3, 3]
    assert list(data["views"][0]["p"]) == ["0,1", "0,2", "1,2"]


def test_what_a_dataset_does_not_have_is_null(made):
    """With fewer than five shuffles there is no test; with a single one, no held-out regret and no error."""
    runs, curves = played(["few", "one"], shuffles=4)
    alone = (runs["dataset"] == "one") & (runs["shuffle"] > 0)
    _, pairs = scores_and_pairs(runs[~alone], {"few": "few", "one": "one"})
    datasets = pd.DataFrame({"name": ["few", "one"], "n": 40, "d": 1, "K": 2, "source": "file", "family": "f",
                             "shuffles": [4, 1]})  # fmt: skip
    data = explorer(pairs, curves, datasets, BANDITS)
    assert json.loads(in_script(data)) == data  # NaN is not JSON
    views = {(view["reading"], view["protocol"]): view for view in data["views"]}
    held_out, paper = views["literal", "held_out"], views["literal", "paper"]
    assert held_out["regret"][0][0] is not None
    assert [held_out[key][0][1] for key in ("regret", "setting", "curve")] == [None, None, None]
    assert paper["regret"][0][1] is not None
    assert paper["p"]["0,1"] == [None, None]
    assert paper["error"]["0,1"][0] is not None
    assert paper["error"]["0,1"][1] is None


def test_a_curve_of_all_settings_is_their_mean():
    rows = [("x", bandit, "residual", setting, np.array(mean), np.zeros(4))
            for bandit in ("LinTS", "BLTS") for setting, mean in (("", [0, 0.5, 1.5, 2]), ("a=1", [0, 0.5, 0.5, 1]))
            if bandit == "BLTS" or not setting]  # fmt: skip
    curves = pd.DataFrame(rows, columns=CURVE_COLUMNS)
    pairs = pd.DataFrame([
        {"reading": "residual", "protocol": protocol, "row": "LinTS", "column": "BLTS", "dataset": "x", "p": 1.0,
         "regret_row": 0.5, "regret_column": 0.5, "difference_se": 0.1, "setting_row": "", "setting_column": setting}
        for protocol, setting in (("paper", "a=1"), ("typical", ALL_SETTINGS))
    ])  # fmt: skip
    datasets = pd.DataFrame({"name": ["x"], "n": 4, "d": 1, "K": 2, "source": "file", "family": "x", "shuffles": 2})
    data = explorer(pairs, curves, datasets, ["LinTS", "BLTS"])
    assert data["rounds"] == [[1, 2, 3, 4]]
    paper, typical = data["views"]
    assert data["curves"][paper["curve"][0][0]] == [0, 0.5, 1.5, 2]
    assert data["curves"][paper["curve"][1][0]] == [0, 0.5, 0.5, 1]
    assert data["curves"][typical["curve"][1][0]] == [0, 0.5, 1, 1.5]
    assert paper["setting"] == [["no setting"], ["a=1"]]
    assert typical["setting"][1] == [ALL_SETTINGS]


def test_the_matrix_of_claims_has_a_column_per_reading_and_protocol_and_the_placebo_the_same():
    made = tables(rounds_like_the_paper())
    shown = matrix(scorecard(made, "tiny"), made["claims"])
    assert shown["columns"] == [("residual", protocol) for protocol in PROTOCOLS]
    assert {len(cells) for cells in shown["rows"].values()} == {4}
    assert list(shown["rows"])[: len(CLAIMS)] == [f"{better} outperforms {worse}" for better, worse in CLAIMS]
    cell = shown["rows"]["BLTS outperforms LinTS"][0]
    assert (cell["counts"]["wins"], cell["counts"]["losses"]) == (40, 0)
    assert cell["verdict"] == "holds"
    ((pair, cells),) = placebo(made["claims"]).items()
    assert pair == "LinTS×4 outperforms LinTS"
    assert [cell["protocol"] for cell in cells] == list(PROTOCOLS)
    assert [cell["verdict"] for cell in cells] == ["practically equal"] * 4


@pytest.mark.parametrize(
    ("section", "title"),
    [("calibration", "Calibration of the tests"), ("sensitivity", "Atlas"), ("readings", "Readings")],
)
def test_figures_on_demand_are_on_the_page_if_they_exist(section, title, made, tmp_path):
    pairs, curves, datasets = made
    datasets = datasets.assign(left_out="", rows_capped_from=np.nan, features_capped_from=np.nan, differences="")
    of = tables(rounds_like_the_paper())
    of["table1"] = of["table1"].assign(paper_percent=84, inside=True, percent_held_out=80.0, paper_rounds=None)
    timing = pd.DataFrame(columns=["dataset", "bandit", "seconds", "cpu_seconds", "mb"])
    of |= {"scorecard": scorecard(of, "tiny"), "datasets": datasets, "timing": timing}
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    run = {"revision": "abc", "seed": 1, "versions": {"python": "3"}, "config": config}
    image = tmp_path / f"{section}.png"
    image.write_bytes(b"an image")
    named = {"sensitivity": "atlas", "readings": "dimensions"}.get(section, section)
    caption = str(ROOT / f"workflow/report/{named}.rst")
    searched = {
        "sentences": ["None is <acceptable>."],
        "caption": "The best",
        "head": ["a", "b"],
        "cells": [["1", "2"]],
    }
    drawing = Drawing(str(image), caption, {}, title, section)
    data = explorer(pairs, curves, datasets, BANDITS)
    without, with_it = (
        render(ROOT / "workflow/report", of, run, "tiny", drawings, data, "All are shown.", searched=search)
        for drawings, search in (([], []), ([drawing], [searched] * (section == "readings")))
    )
    assert f'<section id="{section}">' not in without
    assert f'<section id="{section}">' in with_it
    assert f'href="#{section}"' in with_it
    assert 'src="data:image/png;base64,YW4gaW1hZ2U="' in with_it
    assert ("None is &lt;acceptable&gt;." in with_it) == (section == "readings")


def test_the_multiverse_is_on_the_page_if_it_was_run(made):
    pairs, curves, datasets = made
    datasets = datasets.assign(left_out="", rows_capped_from=np.nan, features_capped_from=np.nan, differences="")
    of = tables(rounds_like_the_paper())
    of["table1"] = of["table1"].assign(paper_percent=84, inside=True, percent_held_out=80.0, paper_rounds=None)
    timing = pd.DataFrame(columns=["dataset", "bandit", "seconds", "cpu_seconds", "mb"])
    of |= {"scorecard": scorecard(of, "tiny"), "datasets": datasets, "timing": timing}
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    run = {"revision": "abc", "seed": 1, "versions": {"python": "3"}, "config": config}
    universes = ["default", "ties smallest"]
    multiverse = {
        "claims": of["claims"].iloc[:1].merge(pd.DataFrame({"universe": universes}), how="cross"),
        "universes": pd.DataFrame({"universe": universes, "choice": "ties", "level": ["ties middle", "ties smallest"]}),
        "verdicts": pd.DataFrame([{"better": "BLTS", "worse": "LinTS", "protocol": "all", "holds": 5, "of": 77,
                                   "low": -0.123, "median": 0.0, "high": 0.02}]),
    }  # fmt: skip
    data = explorer(pairs, curves, datasets, BANDITS)
    page = render(ROOT / "workflow/report", of, run, "tiny", [], data, "All are shown.", multiverse)
    assert '<section id="multiverse">' in page
    assert 'href="#multiverse"' in page
    assert "in 2 universes" in page
    assert "-12.30, +0.00, +2.00" in page
    assert '<td class="number">77</td>' in page
    shown = json.loads(re.search(r'<script type="application/json" id="mv-data">(.*?)</script>', page).group(1))
    assert [name for name, _ in shown["universes"]] == universes
    assert (ROOT / "workflow/report/multiverse.js").read_text().strip() in page


@pytest.mark.parametrize(
    ("row", "ours", "interval"),
    [
        ({"ours": 84.21, "low": 70.1, "high": 91.6, "unit": "% of simulations"}, "84.2", "70 to 92"),
        ({"ours": 5.0, "low": -3.2, "high": 12.0, "unit": "points"}, "+5", "-3 to +12"),
        ({"ours": -0.84, "low": -1.24, "high": 0.31, "unit": "points of regret"}, "-0.84", "-1.2 to +0.3"),
        ({"ours": 3544.2, "low": 1776.0, "high": 5311.0, "unit": "rounds"}, "3544", "1776 to 5311"),
        ({"ours": "", "low": "", "high": "", "unit": "points"}, "–", ""),
    ],
)
def test_numbers_are_written_for_people(row, ours, interval):
    written = readable(row | {"figure": "figures/mine/claims"})
    assert (written["ours"], written["interval"], written["anchor"]) == (ours, interval, "mine-claims")
