"""Captions say which datasets a figure shows."""

import re

import docutils.core
import pytest
from conftest import ROOT

from balanced_bandits.plan.catalogue import FIGURES
from balanced_bandits.report.captions import datasets_in_words, verbatim
from balanced_bandits.vocabulary import PROTOCOLS, READINGS

HEAD = "name,n,d,left_out,rows_capped_from,features_capped_from\n"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("ant,9,2,,,\nbee,8,2,,,\n", "2 of 2 datasets are shown."),
        ("ant,9,2,,,\nbee,0,0,one class only,,\n", r"1 of 2 datasets are shown. Left out: bee (one class only)."),
        ("ant,777,2,,9000,\nbee,777,5,,8000,40\ncat,9,5,,,30\n",
         "3 of 3 datasets are shown. For 2 of them, a random sample of 777 rows is used. For 2 of them, a random "
         "sample of 5 features is used."),
    ],
)  # fmt: skip
def test_what_is_shown_left_out_and_cut_is_in_words(rows, words, tmp_path):
    (tmp_path / "datasets.csv").write_text(HEAD + rows)
    assert datasets_in_words(tmp_path / "datasets.csv") == words


@pytest.mark.parametrize(
    "text",
    ["a_", "*x* **y**", "``code``", ".. raw:: html", "<script>", "|s| [1]_ `a <b>`_", "x::", "\\", "a\n.. image:: u"],
)
def test_nothing_in_a_reason_is_markup(text):
    parts = docutils.core.publish_parts(f"Left out: {verbatim(text)}.", writer="html5")
    escaped = " ".join(text.split()).replace("<", "&lt;").replace(">", "&gt;")
    assert parts["fragment"].strip() == f"<p>Left out: {escaped}.</p>"


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_captions_of_the_comparison_say_it_and_no_others(figure):
    text = (ROOT / f"workflow/report/{figure.name}.rst").read_text()
    assert ('snakemake.params["datasets"]' in text) == (figure.section == "classification")


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_captions_take_the_words_of_readings_and_protocols_from_the_vocabulary(figure):
    text = (ROOT / f"workflow/report/{figure.name}.rst").read_text()
    assert ('snakemake.params["view"]' in text) == bool({"reading", "protocol"} & set(figure.by))
    for known in (READINGS, PROTOCOLS):
        assert not any(entry.words in text for entry in known.values())


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_captions_name_the_tables_behind_the_comparison(figure):
    text = (ROOT / f"workflow/report/{figure.name}.rst").read_text()
    named = set(re.findall(r"\b\w+\.csv\b", text))
    if figure.section in ("classification", "calibration") and figure.name != "pairwise":
        assert named >= {name for name in figure.tables if name.endswith(".csv")}
