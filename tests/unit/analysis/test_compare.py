"""The command lines of the comparison: from tables of runs to all tables of a suite."""

import importlib.util
import json

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from handmade_tables import BANDITS, runs_of, scores_and_pairs

from balanced_bandits.analysis.classification.counts import VIEW
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import write_arrays
from balanced_bandits.core.tables import read_table, write_table
from balanced_bandits.datasets.checksum import digest
from balanced_bandits.datasets.suite import COLUMNS as SUITE_COLUMNS
from balanced_bandits.vocabulary import PROTOCOLS

NAMES = [f"d{i}" for i in range(12)]
READINGS = ["residual", "literal"]
TABLES = ["scores.parquet", *(f"{name}.csv" for name in (
    "pairs", "counts", "claims", "strata", "ranks", "profiles", "differences"))]  # fmt: skip


def script(name, monkeypatch, **options):
    """Run the main function of a script with these options."""
    spec = importlib.util.spec_from_file_location(f"script_{name}", ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    arguments = [part for key, value in options.items()
                 for part in (f"--{key}", *(map(str, value) if isinstance(value, list) else [str(value)]))]  # fmt: skip
    monkeypatch.setattr("sys.argv", [name, *arguments])
    module.main()


def described(names):
    return pd.DataFrame({"name": names, "n": 40, "d": 3, "K": 2, "family": names})


def compare(folder, monkeypatch, runs, bandits, placebo="LinTS"):
    write_table(folder / "runs.parquet", runs)
    write_table(folder / "datasets.csv", described(list(dict.fromkeys(runs["dataset"]))))
    options = {"seed": 1, "bandits": bandits, "readings": READINGS, "rope": 0.01, "reference": bandits[0],
               "placebo": placebo}  # fmt: skip
    script("compare", monkeypatch, runs=folder / "runs.parquet", datasets=folder / "datasets.csv",
           options=json.dumps(options), folder=folder)  # fmt: skip
    return {name.partition(".")[0]: read_table(folder / name) for name in TABLES}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        yield compare(tmp_path_factory.mktemp("compared"), monkeypatch, runs_of(NAMES), BANDITS)


def test_all_tables_are_of_all_readings_and_protocols(made):
    views = {(reading, protocol) for reading in READINGS for protocol in PROTOCOLS}
    for name, table in made.items():
        assert set(map(tuple, table[VIEW].to_numpy())) == views, name
        assert not table.duplicated().any(), name


def test_the_pairs_are_those_of_the_runs(made):
    _, pairs = scores_and_pairs(runs_of(NAMES), {name: name for name in NAMES}, readings=["residual"])
    written = made["pairs"][made["pairs"]["reading"] == "residual"]
    pd.testing.assert_frame_equal(written[list(pairs)], pairs)


def test_the_placebo_is_compared_and_claims_nothing_else(made):
    assert set(made["claims"]["kind"]) == {"claim", "placebo"}
    placebo = made["claims"][made["claims"]["kind"] == "placebo"]
    assert set(zip(placebo["better"], placebo["worse"], strict=True)) == {("LinTS×4", "LinTS")}
    assert len(placebo) == len(READINGS) * len(PROTOCOLS)
    # Its settings are four times as many, and it wins by luck under the paper's protocol alone.
    won = placebo.groupby("protocol")["difference"].mean()
    assert won["paper"] < -0.03
    assert won.drop("paper").abs().max() < 0.03
    for name in ("counts", "strata", "ranks", "profiles", "differences"):
        assert not made[name].astype(str).eq("LinTS×4").any(axis=None), name


def test_the_intervals_of_claims_are_wider_than_those_of_counts(made):
    table, counts = made["claims"], made["counts"].set_index([*VIEW, "row", "column"])
    for row in table[(table["better"] == "LinTS") & (table["worse"] == "LinUCB")].itertuples():
        of = counts.loc[(row.reading, row.protocol, "LinTS", "LinUCB")]
        assert row.difference == pytest.approx(of["difference"])
        assert row.high - row.low > 1.2 * (of["difference_high"] - of["difference_low"])


def test_the_same_seed_gives_the_same_tables(tmp_path, monkeypatch):
    once, again = (
        compare(tmp_path / attempt, monkeypatch, runs_of(NAMES[:3], bandits=BANDITS[:2]), BANDITS[:2])
        for attempt in ("once", "again")
    )
    for name, table in once.items():
        pd.testing.assert_frame_equal(again[name], table)


@pytest.mark.parametrize("placebo", ["LinTS", None])
def test_bandits_of_which_the_paper_claims_nothing_are_compared_too(tmp_path, monkeypatch, placebo):
    bandits = ["LinTS", "Mine"]
    made = compare(tmp_path, monkeypatch, runs_of(NAMES[:2], bandits=bandits), bandits, placebo)
    assert len(made["counts"]) == len(READINGS) * len(PROTOCOLS)
    assert made["strata"].empty
    assert set(made["claims"]["kind"]) == ({"placebo"} if placebo else set())


def test_a_single_shuffle_is_compared_without_held_out(tmp_path, monkeypatch):
    made = compare(tmp_path, monkeypatch, runs_of(NAMES[:3], bandits=BANDITS[:2], shuffles=1), BANDITS[:2])
    assert set(made["counts"]["protocol"]) == {"paper", "typical", "fixed"}
    assert made["pairs"]["p"].isna().all()
    assert (made["counts"]["tested"] == 0).all()


# From the results of jobs


@pytest.fixture
def jobs(tmp_path):
    """A suite of two datasets, and a result of LinTS on each of them, with four copies and six shuffles."""
    rng = np.random.default_rng(0)
    rows = [["ant", "file", "ant.csv", "kind", "0" * 64, "none", 20, 2, 2, "insect"],
            ["bee", "file", "bee.csv", "kind", "0" * 64, "none", 20, 2, 2, ""]]  # fmt: skip
    lines = ["\t".join(map(str, row)) for row in ([*SUITE_COLUMNS, "family"], *rows)]
    (tmp_path / "tiny.tsv").write_text("\n".join(lines) + "\n")
    for name in ("ant", "bee"):
        curve = np.cumsum(rng.random((1, 2, 4, 6, 20)) < 0.4, axis=-1)[..., [0, 9, 19]].astype(np.int32)
        dataset = {"name": name, "source": "file", "locator": "x", "licence": "l", "sha256": "s", "n": 20, "d": 2,
                   "K": 2, "rejected": None}  # fmt: skip
        write_arrays(
            tmp_path / name / "LinTS.npz",
            {"bandit": "LinTS", "readings": ["residual"], "settings": [{"alpha": 1.0}, {"alpha": 2.0}],
             "dataset": dataset, "options": {"copies": 4, "shuffles": 6}},
            rounds=np.array([1, 10, 20]), curve=curve, pulls=np.full((1, 2, 4, 6, 2), 10),
            penalties=np.full((1, 2, 4, 6, 2), np.nan), clipped=np.full((1, 2, 4, 6), np.nan),
        )  # fmt: skip
    return tmp_path


def test_results_are_collected_into_three_tables(jobs, monkeypatch):
    script("collect", monkeypatch, suite=jobs / "tiny.tsv", families=digest({"ant": "insect", "bee": "bee"}),
           jobs=jobs / "DATASET/LinTS.npz", runs=jobs / "runs.parquet", curves=jobs / "curves.parquet",
           accounts=jobs / "datasets.csv")  # fmt: skip
    runs, curves, datasets = (read_table(jobs / name) for name in ("runs.parquet", "curves.parquet", "datasets.csv"))
    assert len(runs) == 2 * 2 * 4 * 6
    assert [len(curve) for curve in curves["mean"]] == [3] * 4
    assert datasets[["name", "family", "shuffles"]].to_numpy().tolist() == [["ant", "insect", 6], ["bee", "bee", 6]]


def test_copies_are_counted_from_the_results_of_jobs(jobs, monkeypatch):
    options = {"suite": jobs / "tiny.tsv", "seed": 1, "output": jobs / "calibration.csv"}
    script("calibrate", monkeypatch, datasets=["ant", "bee"], jobs=[jobs / "DATASET/LinTS.npz"], **options)
    table = read_table(jobs / "calibration.csv")
    assert set(table["protocol"]) == set(PROTOCOLS)
    on_one = table[table["test"] == "dataset"]
    assert set(on_one.loc[on_one["protocol"] != "held_out", "tests"]) == {2 * 2}
    assert set(on_one.loc[on_one["protocol"] == "held_out", "tests"]) == {0}  # too few pairs of shuffles
    known = table[table["low"].notna() & table["percent"].notna()]
    assert (known["low"] <= known["percent"]).all()
    with pytest.raises(InputError, match="there is nothing to calibrate with"):
        script("calibrate", monkeypatch, datasets=[], jobs=[jobs / "DATASET/LinTS.npz"], **options)
