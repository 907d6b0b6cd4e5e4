"""The numbers in the documents are those that are published."""

import gzip
import json
import subprocess
import sys

import pandas as pd
import pytest
from conftest import ROOT

from balanced_bandits.core.errors import InputError
from balanced_bandits.verification.documents import TABLES, Published, filled

CLAIMS = pd.DataFrame(
    [["claim", "residual", "held_out", "BLTS", "LinTS", "holds", -0.0123, -0.02, -0.004, 40, 3, 17],
     ["claim", "residual", "paper", "BLTS", "LinTS", "reversed", 0.051, 0.04, 0.06, 1, 0, 59],
     ["placebo", "residual", "paper", "LinTS×4", "LinTS", "inconclusive", 0.0, -0.02, 0.02, 30, 0, 30]],
    columns=["kind", "reading", "protocol", "better", "worse", "verdict", "difference", "low", "high", "wins", "ties",
             "losses"],
)  # fmt: skip


@pytest.fixture
def published(tmp_path):
    (tmp_path / "tiny").mkdir()
    (tmp_path / "synthetic").mkdir()
    source = {"suite": "tiny", "revision": "0123456789", "date": "2026-01-02", "command": "snakemake --cores all"}
    (tmp_path / "source.json").write_text(json.dumps(source))
    CLAIMS.to_csv(tmp_path / "tiny/claims.csv", index=False)
    pd.DataFrame({"name": list("abc"), "left_out": [None, None, "no"], "shuffles": [10, 2, 2]}).to_csv(
        tmp_path / "tiny/datasets.csv", index=False
    )
    pd.DataFrame({"reading": "residual", "protocol": ["paper"], "bandit": ["LinTS"], "regret": [0.2345]}).to_csv(
        tmp_path / "tiny/ranks.csv", index=False
    )
    (tmp_path / "earlier.csv").write_text("reading,better,worse,wins,losses\nresidual,BLTS,LinTS,20,25\n")
    (tmp_path / "tiny/table2.md").write_text("two\n")
    (tmp_path / "synthetic/table1.md").write_text("one\n")
    return Published(tmp_path)


def block(name):
    return f"before\n<!-- published: {name} -->\nyesterday\n<!-- end -->\nafter\n"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("summary", "| BLTS > LinTS | −1.2 (40–17), holds | +5.1 (1–59), reversed |"),
        ("summary", "| placebo: LinTS×4 > LinTS |  | +0.0 (30–30), inconclusive |"),
        ("claims residual", "holds: −1.2 (−2.0 to −0.4), 40–17"),
        ("agreement", "| BLTS > LinTS | 20–25 (44%) | 1–59 (2%) | no |"),
        ("regrets", " 23.4 |"),
        ("shuffles", "Of the 2 datasets, 1 are played in 10, 1 are played in 2 shuffles."),
        ("origin", "*2 datasets of the suite `tiny`, revision `0123456`, 2026-01-02; "),
        ("table1", "one"),
        ("table2", "two"),
    ],
)
def test_blocks_are_made_from_what_is_published(published, name, expected):
    text = filled(block(name), published, "a.md")
    assert expected in text
    assert "yesterday" not in text
    assert text.startswith("before\n<!-- published")
    assert text.endswith("<!-- end -->\nafter\n")
    assert filled(text, published, "a.md") == text


def test_an_unknown_table_is_named(published):
    with pytest.raises(InputError, match=r"a\.md: there is no table 'nothing'; the tables are origin"):
        filled(block("nothing"), published, "a.md")


@pytest.mark.parametrize("broken", ["<!-- published: table1 -->\n", "<!-- published: Table1 -->\n<!-- end -->\n"])
def test_blocks_without_a_beginning_or_an_end_change_nothing_between_them(published, broken):
    with pytest.raises(InputError, match=r"a\.md: a block must begin with"):
        filled(broken + "text in between\n" + block("table2"), published, "a.md")


def test_tables_that_are_packed_are_read(published):
    path = published.suite / "claims.csv"
    (published.suite / "claims.csv.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert "40–17" in filled(block("claims residual"), published, "a.md")


@pytest.mark.parametrize("given", ["claims", "claims typo", "claims residual literal"])
def test_claims_need_a_reading_that_was_played(published, given):
    with pytest.raises(InputError, match=r"'claims' needs one reading, one of residual; got"):
        filled(block(given), published, "a.md")


def test_the_documents_show_what_is_published():
    done = subprocess.run(
        [sys.executable, "scripts/fill_docs.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    used = {name for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")) for name in TABLES
            if f"<!-- published: {name}" in path.read_text()}  # fmt: skip
    assert used == set(TABLES)


def test_a_document_that_does_not_is_an_error(tmp_path, published):
    (tmp_path / "a.md").write_text(block("table1"))
    command = [
        sys.executable,
        "scripts/fill_docs.py",
        "--published",
        published.folder,
        "--documents",
        tmp_path / "a.md",
    ]
    refused = subprocess.run([*command, "--check"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "a.md do not show what is published; run scripts/fill_docs.py." in refused.stderr
    subprocess.run(command, cwd=ROOT, check=True)
    assert "yesterday" not in (tmp_path / "a.md").read_text()
    subprocess.run([*command, "--check"], cwd=ROOT, check=True)
