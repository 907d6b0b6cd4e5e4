"""A whole run on datasets of an OpenML server: real and made ones, with what goes wrong in a real one."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from conftest import Workspace
from openml_server import Server, replay, write_dataset

from balanced_bandits.core.files import read_arrays

pytestmark = pytest.mark.system
KEY = "0123456789abcdef"
RECORDED = {3: "class", 61: "class", 62: "type", 292: "Y", 40675: "class", 40945: "survived", 42585: "species"}


def made(seed, n=40, d=3, K=2):
    """A table whose classes can be told apart, with at least one row of each."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).round(3)
    labels = (X @ rng.standard_normal((d, K)) + 0.3 * rng.standard_normal((n, K))).argmax(axis=1)
    labels[:K] = np.arange(K)
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(d)]).assign(kind=[f"c{label:02}" for label in labels])


def bundled(name, rows):
    loaded = getattr(sklearn.datasets, f"load_{name}")()
    frame = pd.DataFrame(loaded.data).add_prefix("x").assign(kind=[f"c{label}" for label in loaded.target])
    return frame.sample(rows, random_state=0)


def tables():
    """Datasets by id: the table, what the server says of it, and what the suite expects if it is not what comes."""
    rng = np.random.default_rng(0)
    sparse = made(1, n=60, d=12)
    sparse.iloc[:, :-1] *= rng.random((60, 12)) < 0.3
    gaps = made(2, n=60, d=4)
    gaps["colour"] = np.array(["red", "blue", "green"])[rng.integers(0, 3, 60)]
    for column in [*gaps.columns[:4], "colour"]:
        gaps.loc[rng.random(60) < 0.4, column] = None
    single = made(3, K=3)
    single["kind"] = ["rare"] + ["c0", "c1"] * 19 + ["c0"]
    odd = made(4).rename(columns={"x0": "size / length (cm)", "x1": "it's 100%", "kind": "the kind, really"})
    odd["the kind, really"] = odd["the kind, really"].map({"c00": "größer als", "c01": "a/b\\c"})
    marked = made(5).assign(row=np.arange(40.0), leak=lambda frame: frame["kind"])
    first = made(6)
    return {
        101: (bundled("wine", 178), {}),
        102: (bundled("breast_cancer", 200), {}),
        103: (bundled("digits", 200), {}),
        104: (sparse, {"sparse": True}),
        105: (gaps, {}),
        106: (made(7, n=104, d=6, K=26), {}),
        107: (single, {}),
        108: (odd, {"target": "the kind, really"}),
        109: (marked, {"flags": {"row": "is_row_identifier"}, "ignore_attribute": "leak"}),
        110: (first[["kind", "x0", "x1", "x2"]], {}),
        111: (made(8, n=30, d=50), {}),
        112: (made(9), {"parquet": True, "format": "parquet"}),
        113: (odd, {"target": "the kind, really", "encoding": "latin-1"}),
        114: (made(10).assign(kind="same"), {}),
        115: (made(11).assign(kind=[f"c{i % 2}" if i % 4 else None for i in range(40)]), {}),
        **{number: (made(number), {}) for number in (*range(116, 120), *range(122, 127))},
    }


PASSING = {
    ("description", 103): ["500", "429"], ("features", 104): ["cut"], ("arff", 105): ["slow", "cut", "500"],
    ("arff", 106): ["wrong", "html"], ("qualities", 107): ["html"], ("arff", 108): ["overloaded", "dropped"],
    ("parquet", 112): ["500", "html"],
}  # fmt: skip
STAYING = {("description", 122): "404", ("arff", 123): "412", ("arff", 124): "wrong"}
PASSING_LATER = {("features", 101): "500", ("arff", 125): "html"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run on all of them: first with two datasets that can't be had for the time being, then again."""
    workspace = Workspace(tmp_path_factory.mktemp("openml"))
    served = workspace.folder / "served"
    workspace.rows = {}

    def suite_row(number, n, d, K, version=1, target="(default)"):
        name = f"set{number}"
        workspace.rows[name] = [name, "openml", f"{number}@{version}", target, "unknown", "unknown", n, d, K]

    for number, (frame, options) in tables().items():
        target = options.pop("target", "kind")
        unused = len(options.get("flags", {})) + ("ignore_attribute" in options)
        write_dataset(served, number, frame, target, **options)
        labels = frame[target]
        suite_row(number, int(labels.notna().sum()), frame.shape[1] - 1 - unused, labels.nunique())
    expected = {3: (3196, 36, 2), 61: (149, 4, 3), 62: (101, 17, 7), 292: (85, 14, 2), 40675: (163, 9, 2),
                40945: (1309, 13, 2), 42585: (344, 6, 3)}  # fmt: skip
    for number, target in RECORDED.items():
        description = replay(served, number)
        suite_row(number, *expected[number], version=description["version"], target=target)
    suite_row(126, 40, 3, 2, version=2)
    suite_row(127, 40, 3, 2)  # the server does not know it
    workspace.write_suite()
    with Server(served) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.setenv("XDG_CONFIG_HOME", str(workspace.folder / "configuration"))
        patch.setenv("THE_KEY", KEY)
        server.duration, server.slowness = 0.05, 6.0
        server.faults = {key: list(faults) for key, faults in PASSING.items()} | STAYING | PASSING_LATER
        workspace.config |= {
            "bandits": {"LinTS": {"alpha": [1]}, "LinUCB": {"alpha": [1]}},
            "openml": {"server": server.api, "api_key_variable": "THE_KEY", "pause": 0.01, "retries": 3,
                       "back_off": 0.01, "timeout": 4.0, "simultaneous": 2},
        }  # fmt: skip
        workspace.write_config()
        # More jobs at once than downloads are allowed.
        workspace.first = workspace.snakemake("--keep-going", "classification", cores=3, fails=True)
        for key in PASSING_LATER:
            del server.faults[key]
        workspace.snakemake("classification", cores=3)
        workspace.server = server
        yield workspace


@pytest.fixture(scope="module")
def datasets(run):
    with open(run.folder / "results/tiny/datasets.csv") as table:
        return {row["name"]: row for row in csv.DictReader(table)}


def test_every_dataset_is_played_or_left_out_with_the_reason(run, datasets):
    assert len(datasets) == len(run.rows) == 32
    left_out = {name: row["left_out"] for name, row in datasets.items() if row["left_out"]}
    reasons = {
        "set114": "all rows are of one class, 'same'",
        "set122": "(status 404: no such page)",
        "set123": "(status 412, code 112: No access granted - This dataset is not shared with you)",
        "set124": "its MD5 is",
        "set126": "the server has version 1 under this id, but the suite says 2",
        "set127": "(status 412, code 111: Unknown dataset)",
    }
    assert left_out.keys() == reasons.keys()
    for name, reason in reasons.items():
        assert reason in left_out[name]
    assert len(list((run.folder / "results/tiny/runs").glob("*/LinTS.npz"))) == 32
    # The names of the passengers differ in nearly every row.
    assert "'name'" in datasets["set40945"]["warnings"]
    assert float(datasets["set40945"]["columns_left_out"]) == 3


def test_what_may_pass_stops_the_run_with_a_sentence_and_is_tried_again(run, datasets):
    assert "error: dataset set101: http" in run.first
    assert "could not be fetched in 4 attempts; the last error: status 500: sorry. Run again to continue." in run.first
    assert "attempts; the last error: it has no @data line, so it is not ARFF. Run again to continue." in run.first
    assert not datasets["set101"]["left_out"] + datasets["set125"]["left_out"]


def test_differences_from_the_suite_are_reported_row_by_row(datasets):
    differing = {name: row["differences"] for name, row in datasets.items() if row["differences"]}
    assert differing == {
        "set61": "n = 150 where the suite says 149",
        "set62": "d = 16 where the suite says 17",
    }
    assert (datasets["set61"]["n"], datasets["set62"]["d"]) == ("150", "16")


def test_what_was_asked_for_and_how_much_at_once(run):
    requests = run.server.requests
    assert run.server.most_at_once == 2
    for (kind, number), faults in PASSING.items():
        assert requests.count((kind, number)) == len(faults) + 1
    assert requests.count(("description", 122)) == requests.count(("arff", 123)) == 1
    assert requests.count(("arff", 124)) == 4
    assert requests.count(("description", 61)) == 1
    assert run.server.keys["description"] == {KEY}


def test_the_contexts_are_those_of_the_tables(run):
    def encoded(number):
        return read_arrays(run.folder / f"data/tiny/set{number}.npz")

    record, arrays = encoded(111)
    assert record["encoding"]["rotated_from"] == 50
    assert arrays["X"].shape == (30, 30)
    assert encoded(106)[1]["X"].shape == (104, 6)
    assert len(encoded(106)[0]["classes"]) == 26
    assert np.bincount(encoded(107)[1]["y"]).min() == 1
    assert encoded(105)[0]["encoding"]["missing_cells"] > 60
    assert encoded(108)[0]["classes"] == encoded(113)[0]["classes"] == ["a/b\\c", "größer als"]
    np.testing.assert_array_equal(encoded(108)[1]["X"], encoded(113)[1]["X"])
    for number in (104, 109, 110, 112):
        frame = tables()[number][0]
        plain = frame[[column for column in frame.columns if column.startswith("x")]].to_numpy()
        expected = (plain - plain.mean(axis=0)) / plain.std(axis=0)
        np.testing.assert_allclose(encoded(number)[1]["X"], expected, atol=1e-9)
        classes = encoded(number)[0]["classes"]
        assert [classes[i] for i in encoded(number)[1]["y"]] == frame["kind"].tolist()


def test_table_2_counts_what_was_played(run):
    with open(run.folder / "results/tiny/table2.csv") as table:
        counted = {(row["quantity"], row["stratum"]): row for row in csv.DictReader(table)}
    assert counted[("All", "played")]["datasets"] == "26"
    assert counted[("All", "left out")]["datasets"] == "6"
    large = counted[("Observations", "> 1000 and <= 10000")]
    assert (large["datasets"], large["paper"]) == ("2", "57")
    assert counted[("Classes", "> 10")]["datasets"] == "1"
    assert (run.folder / "results/tiny/table2.md").read_text().startswith("| | | datasets | paper |")
    assert "\\begin{tabular}" in (run.folder / "results/tiny/table2.tex").read_text()


def test_no_file_holds_the_key(run):
    account = json.loads((run.folder / "results/tiny/run.json").read_text())
    assert account["config"]["openml"]["api_key_variable"] == "THE_KEY"
    for path in run.folder.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path
    assert KEY not in run.first


def test_how_to_fetch_makes_nothing_stale_but_the_server_does(run):
    openml = run.config["openml"]
    try:
        run.config["openml"] = openml | {"pause": 2, "offline": True, "retries": 0, "prefer": "parquet"}
        run.write_config()
        jobs = [
            job for job in run.plan("classification") if not job.startswith("The classification experiment is done")
        ]
        assert jobs == ["Recording the settings, versions and revision behind results/tiny"]
        run.config["openml"] = openml | {"server": "http://127.0.0.1:9/api/v1/xml"}
        run.write_config()
        assert "Fetching set61" in run.plan("classification")
    finally:
        run.config["openml"] = openml
        run.write_config()


def test_offline_runs_again_from_the_cache_with_caps(run):
    before = len(run.server.requests)
    run.config["openml"] |= {"offline": True}
    run.config |= {"max_rounds": 50, "max_features": 5}
    run.write_config()
    targets = [f"data/tiny/set{number}.npz" for number in (61, 102, 104)]
    run.snakemake("--forcerun", "fetch", "--", *targets)
    assert len(run.server.requests) == before
    shapes = {}
    for target in targets:
        record, arrays = read_arrays(run.folder / target)
        account = record["encoding"]
        shapes[record["name"]] = (arrays["X"].shape, account["rows_capped_from"], account["features_capped_from"])
        assert (record["n"], record["d"]) == arrays["X"].shape
    assert shapes == {"set61": ((50, 4), 150, None), "set102": ((50, 5), 200, 30), "set104": ((50, 5), 60, 12)}
    assert "is not in the cache" in run.snakemake("--forcerun", "fetch", "--", "data/tiny/set123.npz", fails=True)
