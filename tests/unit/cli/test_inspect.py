"""``balanced-bandits inspect``: what will be done to each column is shown before it is done."""

import os
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.cli import main
from balanced_bandits.datasets.formats import read_table
from balanced_bandits.datasets.prepare import Preparation, encoded_table


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 60
    kinds = rng.choice(["ant", "bee", "cat"], n)
    frame = pd.DataFrame({
        "Unnamed: 0": range(n), "size": rng.normal(size=n).round(2),
        "mass": rng.choice(["3", "4.5", "unknown", "7"], n),
        "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D"),
        "note": [f"the animal was seen in place number {i}" for i in range(n)],
        "colour": rng.choice(["red", "blue"], n),
        "spy": kinds, "unit": "cm", "kind": kinds,
    })  # fmt: skip
    frame.loc[[1, 2], "colour"] = None
    frame.to_csv("my.csv", index=False)
    return tmp_path / "my.csv"


def call(monkeypatch, capsys, *arguments: str) -> tuple[str, str]:
    monkeypatch.setattr(sys, "argv", ["balanced-bandits", "inspect", *arguments])
    sentence = ""
    try:
        main()
    except SystemExit as end:
        sentence = str(end)
    return capsys.readouterr().out, sentence


def cells(printed: str) -> dict[str, list[str]]:
    """The rows of the table by column, split at two or more blanks."""
    rows = [re.split(r"\s{2,}", line) for line in printed.split("\n\n")[0].splitlines()]
    return {row[0]: row[1:] for row in rows}


def test_every_column_has_a_row(file, monkeypatch, capsys):
    printed, _ = call(monkeypatch, capsys, "my.csv", "--target", "kind")
    found = cells(printed)
    unknown = file.read_text().count("unknown")
    assert found["column"] == ["type", "missing", "levels", "encoded as", "looks like"]
    assert found["Unnamed: 0"] == ["number", "0", "60", "left out", "identifier"]
    assert found["mass"] == ["number", str(unknown), "3", "number, missing where it says 'unknow..."]
    assert found["seen"][0] == "date"
    assert found["seen"][-1] == "number (days since 1970)"
    assert found["note"][-2:] == ["left out", "free text"]
    assert found["colour"] == ["text", "2", "2", "0/1, 2 columns"]
    assert found["spy"][-1] == "leak"
    assert found["unit"][-1] == "constant"


def test_the_size_is_the_one_that_is_played(file, monkeypatch, capsys):
    printed, _ = call(monkeypatch, capsys, "my.csv", "--target", "kind", "--drop", "spy")
    encoded = encoded_table(read_table("my.csv", file.read_bytes(), "kind"), "my", Preparation(), {})
    sizes = pd.Series(encoded.y).value_counts()
    assert "n = 60 rows, d = 7 features, K = 3 classes" in printed
    assert f"classes            {encoded.classes[sizes.index[0]]}: {sizes.iloc[0]}, " in printed
    assert f"encoded columns    {encoded.X.shape[1] - 3}\n" in printed  # without the three levels of spy
    assert re.search(r"predicted time     \d+ s on one core for 7 bandits in 10 shuffles", printed)
    assert "warning: column 'Unnamed: 0': counts the rows: left out as an identifier\n" in printed
    assert "spy" not in printed


def test_without_a_target_all_columns_are_shown(file, monkeypatch, capsys):
    printed, _ = call(monkeypatch, capsys, "my.csv")
    assert "kind" in cells(printed)
    assert "60 rows, 9 columns; name the column with the class with --target for the rest" in printed


def test_a_target_that_is_cut(file, monkeypatch, capsys):
    printed, _ = call(monkeypatch, capsys, "my.csv", "--target", "size", "--binarise", "2")
    assert "K = 2 classes" in printed
    assert "the target has" in call(monkeypatch, capsys, "my.csv", "--target", "size")[0]
    assert call(monkeypatch, capsys, "my.csv", "--target", "size", "--binarise", "1")[1] == "2"  # of argparse


def test_what_can_not_be_played_is_said(file, monkeypatch, capsys):
    file.write_text(file.read_text().replace("unknown", "about 5", 1))
    printed, _ = call(monkeypatch, capsys, "my.csv", "--target", "kind")
    assert "warning: column 'mass': 59 of 60 values are numbers, but not 'about 5': encoded as" not in printed
    (file.parent / "few.csv").write_text("size,kind\n1,u\n2,v\n")
    assert (
        "none, since it can't be played: at least 10 rows"
        in call(monkeypatch, capsys, "few.csv", "--target", "kind")[0]
    )


def test_files_that_can_not_be_read(file, monkeypatch, capsys):
    assert "absent.csv can't be read" in call(monkeypatch, capsys, "absent.csv")[1]
    assert "must have exactly one column 'sort'" in call(monkeypatch, capsys, "my.csv", "--target", "sort")[1]
    os.mkfifo("pipe.csv")
    assert "pipe.csv is not a regular file" in call(monkeypatch, capsys, "pipe.csv")[1]
    assert "has no column 'sort' to drop" in call(monkeypatch, capsys, "my.csv", "--drop", "sort")[1]
