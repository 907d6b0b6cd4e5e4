"""``balanced-bandits audit``: what it prints and writes, its exit status, and what it says of bad input."""

import shutil
import sys

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.cli import main


@pytest.fixture
def suite(tmp_path, monkeypatch, capsys):
    """A suite of three files: one with a leak, its copy with other names, and a clean one."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name in ("clean", "leaky"):
        y = rng.integers(0, 2, 100)
        frame = pd.DataFrame(rng.normal(size=(100, 2)), columns=["u", "v"])
        frame = frame.assign(spy=y + rng.uniform(0, 0.9, 100)) if name == "leaky" else frame
        frame.assign(kind=np.where(y == 1, "b", "a")).to_csv(f"{name}.csv", index=False)
    renamed = pd.read_csv("leaky.csv").sample(frac=1, random_state=0)
    renamed.rename(columns={"u": "one", "v": "two", "spy": "three"}).to_csv("other.csv", index=False)
    call(monkeypatch, "suite", ".", "--target", "kind")
    (tmp_path / "my.tsv").write_text(capsys.readouterr().out)
    return tmp_path / "my.tsv"


def call(monkeypatch, *arguments):
    """Call the console script; gives its exit status or the sentence it ended with."""
    monkeypatch.setattr(sys, "argv", ["balanced-bandits", *arguments])
    try:
        main()
    except SystemExit as end:
        return end.code
    return 0


def decide(suite, *lines):
    text = "\n".join(["\t".join(line) for line in (("dataset", "kind", "column", "decision"), *lines)]) + "\n"
    suite.with_name("my.decisions.tsv").write_text(text)


DECISIONS = (("leaky", "one feature", "spy", "dropped"), ("other", "one feature", "three", "dropped"),
             ("other", "equal tables", "leaky", "other leaves"))  # fmt: skip


def test_findings_are_open_until_they_are_decided(suite, monkeypatch, capsys):
    assert call(monkeypatch, "audit", "my.tsv", "--output", "out/found.csv", "--docs", "found.md") == 3
    printed = capsys.readouterr().out
    assert "3 findings in 3 datasets: 3 open, 0 decided; 0 stale decisions" in printed
    assert "record a decision on each open finding in my.decisions.tsv" in printed
    table = pd.read_csv("out/found.csv", keep_default_na=False)
    assert list(table.columns) == ["severity", "dataset", "kind", "column", "detail", "status", "decision"]
    assert set(zip(table.dataset, table.kind, table.column, strict=True)) == {line[:3] for line in DECISIONS}
    assert set(table.status) == {"open"}
    page = suite.with_name("found.md").read_text()
    assert page.startswith("# Audit of the suite my\n")
    assert page.count("*open*") == 3
    decide(suite, *DECISIONS, ("clean", "small class", "", "rare, but kept"))
    assert call(monkeypatch, "audit", "my.tsv", "--output", "out/found.csv") == 0
    printed = capsys.readouterr().out
    assert "3 findings in 3 datasets: 0 open, 3 decided; 1 stale decision\n" in printed
    assert "[other leaves]" in printed
    assert pd.read_csv("out/found.csv").status.tolist() == ["decided"] * 3 + ["stale"]


def test_drop_and_the_files_that_the_pipeline_fetched_are_respected(suite, monkeypatch, capsys):
    rows = [line.split("\t") for line in suite.read_text().splitlines()]
    more = {"name": "drop", "leaky": "spy"}
    suite.write_text("\n".join("\t".join([*row, more.get(row[0], "")]) for row in rows if row[0] != "other") + "\n")
    folder = suite.parent / "data/my/raw"
    folder.mkdir(parents=True)
    shutil.move("leaky.csv", folder / "leaky")
    (folder / "clean").write_text("cut off")  # then the file itself is read
    assert call(monkeypatch, "audit", "my.tsv") == 0
    assert "0 findings in 2 datasets" in capsys.readouterr().out


def test_a_dataset_that_cannot_be_read_does_not_stop_the_audit(suite, monkeypatch, capsys):
    suite.with_name("leaky.csv").write_text("u,v\n1,2\n")
    suite.with_name("other.csv").unlink()
    assert call(monkeypatch, "audit", "my.tsv") == 3
    printed = capsys.readouterr().out
    assert [line.split()[1:3] for line in printed.splitlines()[1:3]] == [["leaky", "unreadable"],
                                                                         ["other", "unreadable"]]  # fmt: skip
    assert "the suite says" in printed


def test_bad_input_is_one_sentence(suite, monkeypatch):
    assert "absent.tsv: no such suite" in call(monkeypatch, "audit", "absent.tsv")
    suite.with_name("my.decisions.tsv").write_text("leaky: fine\n")
    assert "my.decisions.tsv, line 1: the columns must be dataset, kind" in call(monkeypatch, "audit", "my.tsv")


def test_decisions_are_neither_suites_nor_data(suite, monkeypatch, capsys):
    decide(suite, *DECISIONS)
    assert call(monkeypatch, "suite", ".", "--target", "kind") == 0
    assert capsys.readouterr().out == suite.read_text()
