"""The report's page without a browser: captions, the explorer's data, and text that comes from data."""

import json
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import ROOT
from handmade_tables import BANDITS, runs_of

from balanced_bandits.analysis.classification.collect import RUN_COLUMNS
from balanced_bandits.analysis.classification.compare import compare
from balanced_bandits.core.errors import InputError
from balanced_bandits.environments.classification import spaced_rounds
from balanced_bandits.report.explorer import explorer
from balanced_bandits.report.page import _caption, in_script, readable

WILDCARDS = {"part": "", "specification": "mis", "reading": "literal", "protocol": "matched"}


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/report").glob("*.rst")), ids=lambda path: path.stem)
def test_every_caption_of_the_workflow_can_stand_on_the_page(path):
    config = yaml.safe_load((ROOT / "config.yaml").read_text())
    words = _caption(path, {"config": config, "wildcards": WILDCARDS, "params": {"datasets": "All are shown."}})
    assert words.startswith("<p><strong>")
    assert not re.search(r"\{\{|\{%|\*\*|system-message", words)


def test_a_caption_that_asks_for_more_gets_a_sentence(tmp_path):
    (tmp_path / "odd.rst").write_text("**Odd.** {{ snakemake.wildcards.colour }}")
    with pytest.raises(InputError, match=r"odd.rst: the caption can't be filled in \(.*colour"):
        _caption(tmp_path / "odd.rst", {"wildcards": WILDCARDS})


def test_the_explorer_has_the_numbers_of_the_tables():
    names = ["b", "a"]
    runs = pd.concat([runs_of(names), runs_of(names, seed=1).assign(shuffle=1)])
    pairs = compare(runs, {"a": "a", "b": "b"}, BANDITS, ["residual", "literal"], 4)
    datasets = pd.DataFrame(
        {"name": ["a", "gone", "b"], "n": 40, "d": [1, 2, 3], "K": 2, "source": "file", "family": "f"}
    )
    data = explorer(pairs, runs, datasets, BANDITS, "unpaired")
    assert json.loads(in_script(data)) == data
    assert data["datasets"]["name"] == ["a", "b"]
    assert data["datasets"]["d"] == [1, 3]
    assert [(view["reading"], view["protocol"]) for view in data["views"]] == [
        (reading, protocol) for reading in ("residual", "literal") for protocol in ("paper", "matched", "fixed")
    ]
    view = data["views"][4]
    for row in pairs[(pairs["reading"] == "literal") & (pairs["protocol"] == "matched")].itertuples():
        i, j, at = BANDITS.index(row.row), BANDITS.index(row.column), data["datasets"]["name"].index(row.dataset)
        assert view["regret"][i][at] == pytest.approx(row.regret_row, abs=1e-6)
        assert view["setting"][i][at] == row.setting_row + (f", run {row.repeat_row + 1}" if row.repeat_row else "")
        if i < j:
            assert view["p"][f"{i},{j}"][at] == pytest.approx(row.p_unpaired, rel=0.01)
        curve = data["curves"][view["curve"][i][at]]
        assert len(curve) == len(data["rounds"][data["rounds_of"][at]]) == len(spaced_rounds(40))
        assert curve[-1] / 40 == pytest.approx(row.regret_row, abs=0.1 / 40)
    assert len(data["curves"]) <= len(runs) // 2  # each run once, however many protocols choose it


def test_a_curve_is_the_mean_of_wrong_rounds_so_far():
    right = np.array([[1, 0, 0, 1], [1, 1, 0, 0]], dtype=np.uint8)
    known = ("residual", "", 0)
    rows = [("x", bandit, *known, shuffle, 4, 1 - of.mean(), np.nan, np.cumsum(1 - of), np.packbits(of).tobytes())
            for bandit in ("LinTS", "BLTS") for shuffle, of in enumerate(right)]  # fmt: skip
    runs = pd.DataFrame(rows, columns=RUN_COLUMNS)
    pairs = compare(runs, {"x": "x"}, ["LinTS", "BLTS"], ["residual"], 1)
    datasets = pd.DataFrame({"name": ["x"], "n": 4, "d": 1, "K": 2, "source": "file", "family": "x"})
    data = explorer(pairs, runs, datasets, ["LinTS", "BLTS"], "paired")
    assert data["rounds"] == [[1, 2, 3, 4]]
    assert data["curves"][0] == [0, 0.5, 1.5, 2]
    assert data["views"][0]["setting"] == [["no setting"], ["no setting"]]


@pytest.mark.parametrize(
    ("row", "ours", "interval"),
    [
        ({"ours": 84.21, "low": 70.1, "high": 91.6, "unit": "% of simulations"}, "84.2", "70 to 92"),
        ({"ours": 5.0, "low": -3.2, "high": 12.0, "unit": "points"}, "+5", "-3 to +12"),
        ({"ours": 3544.2, "low": 1776.0, "high": 5311.0, "unit": "rounds"}, "3544", "1776 to 5311"),
        ({"ours": "", "low": "", "high": "", "unit": "points"}, "–", ""),
    ],
)
def test_numbers_are_written_for_people(row, ours, interval):
    written = readable(row | {"figure": "figures/mine/claims"})
    assert (written["ours"], written["interval"], written["anchor"]) == (ours, interval, "mine-claims")
