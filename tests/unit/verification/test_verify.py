"""Publishing and verifying: the verdicts on whole runs and on parts of them, and what is said of bad input."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from balanced_bandits.cli import main
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.tables import write_table
from balanced_bandits.plan.config import checked_config
from balanced_bandits.verification import contents
from balanced_bandits.verification.comparison import DIFFERENT, IDENTICAL, NOT_COMPARABLE, ROUNDING, compare_runs
from balanced_bandits.verification.contents import OF_SYNTHETIC, ON_DATASETS, TEXTS, wrong_rounds
from balanced_bandits.verification.publishing import publish
from balanced_bandits.verification.verify import verify

NAMES = [f"data{i:02}" for i in range(20)]
REVISION = "0123456789" * 4
CONFIG = checked_config({"suite": "tiny.tsv", "shuffles": 5})


def runs_of(names):
    """Handmade runs: two bandits, two readings, five shuffles, 100 rounds."""
    rows = [(name, bandit, reading, "alpha=1", 0, shuffle, 100)
            for name in names for bandit in ("LinTS", "BLUCB") for reading in ("residual", "literal")
            for shuffle in range(5)]  # fmt: skip
    table = pd.DataFrame(rows, columns=[*contents.RUN, "n"])
    wrong = [int(np.random.default_rng(list(map(ord, str(row[:6])))).integers(10, 60)) for row in rows]
    return table.assign(regret=np.array(wrong) / 100, clipped=np.nan)


def table_of(content, names):
    """A handmade table of this content, one row per dataset, or 30 rows."""
    of = names if content.by_dataset else [f"row{i:02}" for i in range(30)]
    table = pd.DataFrame({key: of if key == (content.by_dataset or content.keys[0]) else "same"
                          for key in content.keys})  # fmt: skip
    if "left_out" in table:
        table["left_out"] = ""
    if content.main:
        table[content.main] = [float(np.random.default_rng(list(map(ord, name))).normal()) for name in of]
    return table.assign(verdict="holds")


def write_results(folder, names=NAMES, **changes):
    for experiment, tables in (("tiny", ON_DATASETS), ("synthetic", OF_SYNTHETIC)):
        record = {
            "config": CONFIG | changes,
            "revision": REVISION,
            "versions": {"numpy": "2"},
            "processor": {"model": "Z80"},
        }
        (folder / experiment).mkdir(parents=True, exist_ok=True)
        (folder / experiment / "run.json").write_text(json.dumps(record))
        for name, content in tables.items():
            write_table(folder / experiment / f"{name}.csv", table_of(content, names))
            for ending in TEXTS.get(name, ()):
                (folder / experiment / f"{name}.{ending}").write_text("text\n")
    write_table(folder / "tiny/classification.parquet", runs_of(names))


@pytest.fixture
def folders(tmp_path):
    """Results, and the same results as published."""
    results, published = tmp_path / "results", tmp_path / "published"
    write_results(results)
    publish(results, published, "tiny", checked_config({}))
    return results, published


def change(path, **columns):
    """Change columns of a table, each by a function of the table."""
    table = contents.read_table(path)
    write_table(path, table.assign(**{name: of(table) for name, of in columns.items()}))


def verdicts(folders):
    return {finding.name: finding.verdict for finding in verify(*folders).findings}


def test_results_are_identical_to_themselves(folders):
    report = verify(*folders)
    assert report.verdict == IDENTICAL
    assert {finding.verdict for finding in report.findings} == {IDENTICAL}
    assert len(report.findings) == 1 + len(ON_DATASETS) + len(OF_SYNTHETIC)


def test_the_account_says_where_the_results_are_from(folders):
    source = json.loads((folders[1] / "source.json").read_text())
    assert (source["suite"], source["revision"], source["processor"]) == ("tiny", REVISION, {"model": "Z80"})
    assert source["command"] == "snakemake --cores all --config 'shuffles=5' 'suite=tiny.tsv'"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", source["date"])
    there = {str(path.relative_to(folders[1])) for path in folders[1].rglob("*") if path.is_file()}
    assert there == {*source["files"], "source.json"}


def test_publishing_again_gives_the_same_bytes_and_removes_what_is_no_longer_published(folders):
    results, published = folders
    (published / "README.md").write_text("kept")
    before = {path: path.read_bytes() for path in published.rglob("*") if path.is_file()}
    publish(results, published, "tiny", checked_config({}))
    assert {path: path.read_bytes() for path in published.rglob("*") if path.is_file()} == before
    (results / "tiny").rename(results / "other")
    publish(results, published, "other", checked_config({}))
    assert not (published / "tiny").exists()
    assert (published / "other/claims.csv").exists()
    assert (published / "README.md").read_text() == "kept"


def test_large_tables_are_packed_and_verified_like_others(folders, monkeypatch):
    results, published = folders
    monkeypatch.setattr("balanced_bandits.verification.publishing.LARGE", 1000)
    publish(results, published, "tiny", checked_config({}))
    assert (published / "tiny/pairs.csv.gz").exists()
    assert not (published / "tiny/pairs.csv").exists()
    assert verdicts(folders)["pairs.csv"] == IDENTICAL
    change(results / "tiny/pairs.csv", difference=lambda t: t["difference"] + 1)
    assert verdicts(folders)["pairs.csv"] == DIFFERENT


def test_runs_that_differ_now_and_then_and_either_way_are_rounding(folders):
    results, _ = folders
    sign = (-1.0) ** (np.arange(400) // 21)
    change(
        results / "tiny/classification.parquet",
        regret=lambda t: t["regret"] + np.where(t.index % 21 == 0, 0.03 * sign, 0),
    )
    change(results / "tiny/claims.csv", difference=lambda t: t["difference"] + 0.01)
    report = verify(*folders)
    found = {finding.name: finding for finding in report.findings}
    assert report.verdict == ROUNDING
    assert found["runs"].verdict == found["claims.csv"].verdict == ROUNDING
    assert found["runs"].words.startswith("95.00% of 400 runs have")
    assert "no verdicts changed" in found["claims.csv"].words
    assert re.fullmatch(r"data\d\d, \w+, \w+, alpha=1, 0, \d: wrong is \d+, published \d+", found["runs"].examples[0])


@pytest.mark.parametrize(
    ("regret", "words"),
    [
        (lambda t: t["regret"] + np.where(t.index % 2 == 0, (-1.0) ** (t.index // 2) * 0.01, 0), "only"),
        (lambda t: t["regret"] + np.where((t["bandit"] == "BLUCB") & (t.index % 3 == 0), 0.01 * (-1.0) ** t.index, 0),
         "of BLUCB"),
    ],
    ids=["half of the runs", "one bandit"],
)  # fmt: skip
def test_runs_that_differ_too_often_are_different(folders, regret, words):
    change(folders[0] / "tiny/classification.parquet", regret=regret)
    report = verify(*folders)
    assert report.verdict == DIFFERENT
    assert words in report.findings[0].words


@pytest.mark.parametrize(("step", "verdict"), [(1, DIFFERENT), (-1, ROUNDING)])
def test_runs_that_differ_in_one_direction_are_different(step, verdict):
    theirs = runs_of([f"data{i:03}" for i in range(200)]).assign(wrong=50)
    moved = np.where(np.arange(len(theirs)) % 21 == 0, step ** (np.arange(len(theirs)) // 21), 0)
    found = compare_runs(
        "runs", theirs.assign(wrong=50 + moved)[[*contents.RUN, "wrong"]], theirs[[*contents.RUN, "wrong"]]
    )
    assert found.verdict == verdict
    assert ("not balanced around zero" in found.words) == (verdict == DIFFERENT)


def test_a_table_that_does_not_follow_from_the_same_runs_is_different(folders):
    change(folders[0] / "tiny/claims.csv", difference=lambda t: t["difference"] * (1 + 1e-12))
    assert verdicts(folders)["claims.csv"] == ROUNDING  # last digits
    change(folders[0] / "tiny/claims.csv", difference=lambda t: t["difference"] + 0.001)
    change(folders[0] / "tiny/scorecard.csv", verdict=lambda t: ["reversed", *t["verdict"][1:]])
    found = {finding.name: finding for finding in verify(*folders).findings}
    assert found["claims.csv"].verdict == found["scorecard.csv"].verdict == DIFFERENT
    assert "although the runs are the same" in found["claims.csv"].words
    assert found["scorecard.csv"].examples == [
        "row00, same, same, same, same, same: verdict is 'reversed', published 'holds'"
    ]


def test_the_same_values_in_another_order_are_identical(folders):
    path = folders[0] / "tiny/counts.csv"
    write_table(path, contents.read_table(path).iloc[::-1])
    assert verdicts(folders)["counts.csv"] == IDENTICAL


def test_rows_and_columns_that_only_one_side_has_are_named(folders):
    results, _ = folders
    path = results / "tiny/counts.csv"
    write_table(path, contents.read_table(path).iloc[1:])
    change(results / "synthetic/rates.csv", more=lambda t: 1)
    found = {finding.name: finding for finding in verify(*folders).findings}
    assert found["counts.csv"].words == "0 rows are only in your table, 1 only in the published one"
    assert found["counts.csv"].examples == ["row00, same, same, same: published only"]
    assert "the columns more" in found["synthetic/rates.csv"].words


def test_a_part_of_the_datasets_is_compared_on_these(folders, tmp_path):
    part = tmp_path / "part"
    write_results(part, NAMES[:6], datasets=NAMES[:6])
    change(part / "tiny/counts.csv", difference=lambda t: t["difference"] + 9)  # over other datasets
    found = {finding.name: finding for finding in verify(part, folders[1]).findings}
    assert found["runs"].words == "all 120 runs have the same number of wrong rounds"
    assert found["datasets.csv"].verdict == found["pairs.csv"].verdict == IDENTICAL
    assert found["claims.csv"].verdict == found["counts.csv"].verdict == NOT_COMPARABLE
    assert found["claims.csv"].words == "the run has 6 of 20 datasets"
    change(part / "tiny/pairs.csv", difference=lambda t: t["difference"] + 1)
    assert verify(part, folders[1]).verdict == DIFFERENT


def test_in_a_part_settings_that_are_chosen_on_other_datasets_are_not_compared(folders, tmp_path):
    results, published = folders
    part = tmp_path / "part"
    write_results(part, NAMES[:6], datasets=NAMES[:6])
    for folder in (results, part):
        change(
            folder / "tiny/pairs.csv",
            protocol=lambda t: ["fixed" if name == "data03" else "paper" for name in t["dataset"]],
        )
    publish(results, published, "tiny", checked_config({}))
    change(part / "tiny/pairs.csv", difference=lambda t: t["difference"] + (t["protocol"] == "fixed"))
    assert {f.name: f.verdict for f in verify(part, published).findings}["pairs.csv"] == IDENTICAL


def test_a_dataset_that_could_not_be_fetched_makes_the_run_a_part(folders):
    results, _ = folders
    change(results / "tiny/datasets.csv", left_out=lambda t: ["no network", *t["left_out"][1:]])
    runs = contents.read_table(results / "tiny/classification.parquet")
    write_table(results / "tiny/classification.parquet", runs[runs["dataset"] != "data00"])
    found = {finding.name: finding for finding in verify(*folders).findings}
    assert found["claims.csv"].words == "the run has 19 of 20 datasets"
    assert found["runs"].verdict == found["datasets.csv"].verdict == IDENTICAL


def test_a_run_without_any_dataset_is_not_identical(folders):
    results, _ = folders
    change(results / "tiny/datasets.csv", left_out=lambda t: "no network")
    path = results / "tiny/classification.parquet"
    write_table(path, contents.read_table(path).iloc[:0])
    with pytest.raises(InputError, match=r"datasets.csv: no dataset was played"):
        verify(*folders)


def test_text_where_the_published_table_has_numbers_is_different(folders):
    results, published = folders
    change(results / "synthetic/curves.csv", round=lambda t: 1)
    publish(results, published, "tiny", checked_config({}))
    change(results / "synthetic/table1.csv", percent=lambda t: "many")
    change(results / "synthetic/curves.csv", round=lambda t: "first")
    found = {finding.name: finding for finding in verify(results, published).findings}
    assert found["synthetic/table1.csv"].verdict == found["synthetic/curves.csv"].verdict == DIFFERENT
    assert "percent is not a column of numbers in both tables" in found["synthetic/table1.csv"].words
    assert "30 only in the published one" in found["synthetic/curves.csv"].words


def test_tables_that_were_not_made_are_not_comparable(folders):
    for name in ("tiny/scorecard.csv", *(f"synthetic/{table}.csv" for table in OF_SYNTHETIC), "synthetic/run.json"):
        (folders[0] / name).unlink()
    report = verify(*folders)
    assert report.verdict == IDENTICAL
    assert sum(finding.verdict == NOT_COMPARABLE for finding in report.findings) == 1 + len(OF_SYNTHETIC)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 7}, "seed is 7 (published: 2019)"),
        ({"shuffles": 3}, "shuffles is 3 (published: 5)"),
        ({"ridge": CONFIG["ridge"] | {"ties": "largest"}}, 'ridge.ties is "largest" (published: "middle")'),
        ({"bandits": CONFIG["bandits"] | {"LinTS": {"alpha": [1]}}}, "bandits.LinTS.alpha is [1]"),
    ],
)
def test_another_configuration_is_named(folders, tmp_path, changes, words):
    write_results(tmp_path / "mine", **changes)
    with pytest.raises(InputError, match="another configuration") as error:
        verify(tmp_path / "mine", folders[1])
    assert words in str(error.value)


def test_what_changes_no_number_may_differ(folders, tmp_path):
    write_results(tmp_path / "mine", figures={"formats": ["png"]}, strict=True)
    assert verify(tmp_path / "mine", folders[1]).verdict == IDENTICAL


def test_a_suite_of_some_of_the_datasets_is_a_part(folders, tmp_path, monkeypatch, capsys):
    """The default suite is a sample of the published one."""
    write_results(tmp_path / "mine", NAMES[3:9])
    (tmp_path / "mine/tiny").rename(tmp_path / "mine/sample")
    words = ["balanced-bandits", "verify", "--results", str(tmp_path / "mine"), "--published", str(folders[1])]
    monkeypatch.setattr("sys.argv", words)
    main()
    said = capsys.readouterr().out
    assert "yours: sample, a part of tiny" in said
    assert "claims.csv               not comparable: the run has 6 of 20 datasets" in said
    assert "pairs.csv                identical: the rows of these datasets: byte for byte" in said
    assert "verdict: identical" in said


@pytest.mark.parametrize(("ties", "same"), [("middle", True), ("largest", False)])
def test_an_option_that_is_newer_than_the_published_run_had_its_default(tmp_path, ties, same):
    old = CONFIG | {"ridge": {key: value for key, value in CONFIG["ridge"].items() if key != "ties"}}
    write_results(tmp_path / "old", **old)
    publish(tmp_path / "old", tmp_path / "published", "tiny", checked_config({}))
    write_results(tmp_path / "mine", ridge=CONFIG["ridge"] | {"ties": ties})
    if same:
        assert verify(tmp_path / "mine", tmp_path / "published").verdict == IDENTICAL
    else:
        with pytest.raises(InputError, match="another configuration"):
            verify(tmp_path / "mine", tmp_path / "published")


def test_bad_input_is_said_in_a_sentence(folders, tmp_path):
    results, published = folders
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="has no results, but the published ones are of the suite tiny"):
        verify(empty, published)
    with pytest.raises(InputError, match=r"source.json does not exist, so there is nothing to compare with"):
        verify(results, empty)
    (results / "tiny").rename(results / "other")
    change(results / "other/datasets.csv", name=lambda t: t["name"].replace("data03", "elsewhere"))
    with pytest.raises(InputError, match="has only results of other, but"):
        verify(results, published)


@pytest.mark.parametrize("name", ["classification.parquet", "claims.csv", "run.json"])
def test_damaged_results_are_named(folders, name):
    path = folders[0] / "tiny" / name
    path.write_bytes(b'"a,b\n\xff\xfe')
    with pytest.raises(InputError, match=re.escape(f"{path} can't be read")):
        verify(*folders)


def test_results_that_are_not_finished_are_named(folders):
    (folders[0] / "tiny/classification.parquet").unlink()
    with pytest.raises(InputError, match=r"classification.parquet does not exist; the run"):
        verify(*folders)


@pytest.mark.parametrize("damage", ["changed", "gone"])
def test_damaged_publications_are_named(folders, damage):
    path = folders[1] / "tiny/claims.csv"
    path.write_text(path.read_text() + "x\n") if damage == "changed" else path.unlink()
    with pytest.raises(InputError, match=r"claims.csv is not the file that was published; restore it with git"):
        verify(*folders)


def test_interrupted_publishing_leaves_nothing_that_passes(folders, monkeypatch):
    results, published = folders

    def fails(path, content):
        raise KeyboardInterrupt

    monkeypatch.setattr("balanced_bandits.verification.publishing.write_text", fails)
    with pytest.raises(KeyboardInterrupt):
        publish(results, published, "tiny", checked_config({}))
    with pytest.raises(InputError, match=r"source.json does not exist"):
        verify(results, published)


@pytest.mark.parametrize(
    ("experiment", "revision", "words"),
    [
        ("tiny", f"{REVISION}-dirty", "uncommitted changes"),
        ("synthetic", f"{REVISION}-dirty", "uncommitted changes"),
        ("tiny", "unknown (not a git checkout)", "run in a git checkout"),
        ("synthetic", "f" * 40, "differ in revision"),
    ],
)
def test_only_one_run_of_a_committed_revision_is_published(folders, experiment, revision, words):
    results, published = folders
    before = (published / "source.json").read_bytes()
    path = results / experiment / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"revision": revision}))
    with pytest.raises(InputError, match=words):
        publish(results, published, "tiny", checked_config({}))
    assert (published / "source.json").read_bytes() == before


def test_wrong_rounds_are_whole_numbers(folders):
    runs = wrong_rounds(folders[0] / "tiny/classification.parquet")
    assert runs["wrong"].dtype == np.int32
    assert runs["wrong"].tolist() == (100 * runs_of(NAMES)["regret"]).round().astype(int).tolist()


def test_the_command_prints_a_line_per_table_and_exits_by_the_verdict(folders, monkeypatch, capsys):
    results, published = folders
    words = ["balanced-bandits", "verify", "--results", str(results), "--published", str(published)]
    monkeypatch.setattr("sys.argv", words)
    main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("published: tiny, 20")
    assert lines[0].endswith(", revision 012345678901, Z80")
    assert lines[-1] == "verdict: identical: these are the published results."
    assert len(lines) == 2 + 1 + len(ON_DATASETS) + len(OF_SYNTHETIC)
    change(results / "tiny/classification.parquet", regret=lambda t: 1 - t["regret"])
    record = json.loads((results / "tiny/run.json").read_text())
    (results / "tiny/run.json").write_text(json.dumps(record | {"processor": {"model": "6502"}}))
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 1
    said = capsys.readouterr().out
    assert 'not as in the published run:\n  processor, model: "6502" (published: "Z80")\nverdict' in said
    assert said.splitlines()[-1] == "verdict: different: these are not the published results."
