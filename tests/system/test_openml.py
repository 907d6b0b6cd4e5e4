"""Source openml: the real openml package talks over a socket to a server in this process."""

import dataclasses
import io
import json
import os
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import arff
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from openml_server import RECORDED, Server, replay, to_arff, write_dataset

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.core.files import read_arrays
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.prepare import prepare
from balanced_bandits.datasets.sources.openml import fetch, parse_locator, table
from balanced_bandits.datasets.sources.openml_client import Client, one_of_few
from balanced_bandits.datasets.sources.openml_settings import SETTINGS_VARIABLE, Settings
from balanced_bandits.datasets.suite import Row
from balanced_bandits.plan.config import checked_config

pytestmark = pytest.mark.system
KEY = "0123456789abcdef"
KINDS = ("description", "features", "qualities", "arff")
FRAME = pd.DataFrame({
    "row no.": np.arange(40.0), "the kind": ["yes", "no", "größer", "no"] * 10, "size/length": np.arange(40) % 7 + 0.5,
    "hue or tint": ["red", "blue", None, "it's"] * 10, "secret": [f"s{i % 3}" for i in range(40)],
    "weight": [np.nan, 1.0] * 20,
})  # fmt: skip


@pytest.fixture
def server(tmp_path, monkeypatch) -> Iterator[Server]:
    """A running server with dataset 7, and settings that lead to it."""
    flags = {"row no.": "is_row_identifier", "secret": "is_ignore"}
    write_dataset(tmp_path / "served", 7, FRAME, "the kind", flags=flags)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    monkeypatch.setenv("OPENML_CACHE_DIR", str(tmp_path / "cache"))
    with Server(tmp_path / "served") as running:
        configure(monkeypatch, running)
        yield running


def configure(monkeypatch, running: Server, **changes: object) -> Settings:
    """Settings of the run that is pretended: quick ones, and ``changes``."""
    cache = str(running.folder.parent / "cache")
    quick = Settings(server=running.api, cache=cache, pause=0.0, back_off=0.01, timeout=10.0, retries=3)
    settings = dataclasses.replace(quick, **changes)
    monkeypatch.setenv(SETTINGS_VARIABLE, json.dumps(dataclasses.asdict(settings)))
    return settings


def row(number: int = 7, version: int = 1, target: str = "(default)", digest: str = "unknown") -> Row:
    return Row("mine", "openml", f"{number}@{version}", target, digest, "CC0", 40, 3, 3)


def get(server: Server, given: Row | None = None) -> bytes:
    return fetch(given or row(), server.folder, server.folder.parent / "data/archives")


def rejection(raw: bytes) -> str:
    with pytest.raises(RejectedError) as caught:
        table(row(), raw)
    return str(caught.value)


def cached(server: Server, name: str, number: int = 7) -> Path:
    return next((server.folder.parent / "cache").rglob(f"datasets/{number}/{name}"))


# What comes


def test_roles_of_columns_names_and_types(server):
    found = table(row(), get(server))
    assert list(found.features.columns) == ["size/length", "hue or tint", "weight"]
    assert found.labels.tolist() == FRAME["the kind"].tolist()
    hues = found.features["hue or tint"]
    assert hues.dropna().tolist() == ["red", "blue", "it's"] * 10
    assert hues.isna().tolist() == [False, False, True, False] * 10
    np.testing.assert_array_equal(found.features["weight"], FRAME["weight"])
    assert server.requests == [("description", 7), ("features", 7), ("qualities", 7), ("arff", 7)]


def test_roles_that_the_description_alone_gives(server):
    write_dataset(
        server.folder, 8, FRAME, "the kind", ignore_attribute=["secret", "weight"], row_id_attribute="row no."
    )
    write_dataset(server.folder, 9, FRAME, "the kind", ignore_attribute="'secret', weight,row no.")
    for number in (8, 9):
        assert list(table(row(), get(server, row(number))).features.columns) == ["size/length", "hue or tint"]


def test_another_target_than_the_servers(server):
    given = row(target="secret")
    found = table(given, get(server, given))
    assert list(found.features.columns) == ["the kind", "size/length", "hue or tint", "weight"]
    assert found.labels.tolist() == FRAME["secret"].tolist()


def test_targets_that_are_not_there(server):
    write_dataset(server.folder, 8, FRAME, None)
    assert rejection(get(server, row(8))).startswith("the server names no target; give")
    given = row(target="colour")
    with pytest.raises(RejectedError, match=r"column must be the target 'colour'; the first are row no\., the kind"):
        table(given, get(server, given))


def test_the_archive_has_the_bytes_as_published_and_says_where_they_are_from(server):
    raw = get(server)
    assert raw == get(server)
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert archive.read("data.arff") == (server.folder / "7/data.arff").read_bytes()
        about = json.loads(archive.read("about.json"))
    assert (about["id"], about["version"], about["server"]) == (7, 1, server.api)
    assert about["qualities"] == {"NumberOfInstances": 40, "NumberOfFeatures": 6}


@pytest.mark.parametrize("number", sorted(int(path.name[3:]) for path in RECORDED.glob("id_*")))
def test_answers_of_the_real_server(server, number):
    description = replay(server.folder, number)
    given = row(number, int(description["version"]))
    raw = get(server, given)
    content = arff.loads((server.folder / str(number) / "data.arff").read_text())
    names = [name for name, _ in content["attributes"]]
    target = description.get("default_target_attribute", "")
    if target not in names:
        assert number in (40589, 42074)  # six targets, and none
        assert "target" in rejection(raw)
        return
    left_out = {62: ["animal"], 1119: ["ID"], 40966: ["MouseID", "Genotype", "Treatment", "Behavior"]}
    found = table(given, raw)
    kept = [name for name in names if name not in [target, *left_out.get(number, [])]]
    assert list(found.features.columns) == kept
    expected = pd.DataFrame(content["data"], columns=names, dtype=object)
    for name in kept:
        mine = found.features[name].astype(object).where(found.features[name].notna(), None)
        assert mine.tolist() == expected[name].tolist(), name
    labels = [str(int(label)) if isinstance(label, float) else label for label in expected[target]]
    assert found.labels.tolist() == labels


def test_parquet_holds_the_same_as_arff(server, monkeypatch, tmp_path):
    frame = FRAME.assign(year=(np.arange(40) % 3 + 1999.0))
    write_dataset(server.folder, 8, frame.assign(year=frame["year"].map("{:g}".format)), "the kind", parquet=True)
    frame.to_parquet(server.folder / "8/data.pq")  # the nominal year is a number there
    results = []
    for prefer in ("arff", "parquet"):
        configure(monkeypatch, server, prefer=prefer)
        (tmp_path / "raw").write_bytes(get(server, row(8)))
        prepare(row(8), tmp_path / "raw", tmp_path / "data.npz")
        results.append(read_arrays(tmp_path / "data.npz"))
    assert [kind for kind, _ in server.requests if kind in ("arff", "parquet")] == ["arff", "parquet"]
    np.testing.assert_array_equal(results[0][1]["X"], results[1][1]["X"])
    np.testing.assert_array_equal(results[0][1]["y"], results[1][1]["y"])
    assert results[0][0]["classes"] == results[1][0]["classes"]


@pytest.mark.parametrize(("prefer", "lost", "used"), [("arff", "data.arff", "parquet"), ("parquet", "data.pq", "arff")])
def test_the_other_file_for_want_of_the_preferred(server, monkeypatch, prefer, lost, used):
    configure(monkeypatch, server, prefer=prefer)
    write_dataset(server.folder, 8, FRAME, "the kind", parquet=True)
    (server.folder / "8" / lost).unlink()
    assert table(row(), get(server, row(8))).labels.tolist() == FRAME["the kind"].tolist()
    assert server.requests[-1] == (used, 8)


def test_cut_parquet_is_noticed_without_a_checksum(server, monkeypatch):
    configure(monkeypatch, server, prefer="parquet", retries=1)
    write_dataset(server.folder, 8, FRAME, "the kind", parquet=True)
    server.faults[("parquet", 8)] = ["html", "cut"]
    with pytest.raises(InputError, match=r"could not be fetched in 2 attempts; the last error: ChunkedEncodingError"):
        get(server, row(8))
    server.faults[("parquet", 8)] = "html"
    with pytest.raises(InputError, match="the last error: it does not begin and end like a Parquet file"):
        get(server, row(8))


def test_sparse_arff(server):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (30, 6)) * (rng.random((30, 6)) < 0.2), columns=list("abcdef")).astype(
        float
    )
    frame["kind"] = np.array(["u", "v"], dtype=object)[rng.integers(0, 2, 30)]
    frame["empty"] = 0.0
    frame.loc[3, "b"] = np.nan
    write_dataset(server.folder, 8, frame, "kind", sparse=True)
    found = table(row(), get(server, row(8)))
    assert all(isinstance(dtype, pd.SparseDtype) for dtype in found.features.dtypes)
    np.testing.assert_array_equal(found.features.sparse.to_dense(), frame.drop(columns="kind"))
    assert found.labels.tolist() == frame["kind"].tolist()


def test_bytes_that_are_not_utf8_and_answers_without_a_charset(server):
    frame = FRAME.rename(columns={"weight": "größe"})
    write_dataset(server.folder, 8, frame, "the kind", encoding="latin-1")
    found = table(row(), get(server, row(8)))
    assert list(found.features.columns)[-1] == "größe"
    assert set(found.labels) == {"yes", "no", "größer"}


def test_dataset_without_qualities_or_values_of_nominal_features(server):
    (server.folder / "7/qualities.xml").unlink()
    features = server.folder / "7/features.xml"
    lines = [line for line in features.read_text().splitlines() if "nominal_value" not in line]
    features.write_text("\n".join(lines))
    assert table(row(), get(server)).features.shape == (40, 3)


def test_data_file_without_a_checksum(server):
    write_dataset(server.folder, 8, FRAME, "the kind", md5_checksum=None)
    assert table(row(), get(server, row(8))).features.shape[0] == 40
    write_dataset(server.folder, 9, FRAME, "the kind", md5_checksum=None)
    server.faults[("arff", 9)] = "html"
    with pytest.raises(InputError, match="the last error: it has no @data line, so it is not ARFF"):
        get(server, row(9))


@pytest.mark.parametrize("md5", ["NotApplicable", "none", "0" * 31])
def test_an_md5_that_is_none_is_not_compared(server, md5):
    write_dataset(server.folder, 8, FRAME, "the kind", md5_checksum=md5)
    assert table(row(), get(server, row(8))).features.shape[0] == 40


def test_zeros_at_the_end_of_a_file_are_padding(server):
    write_dataset(server.folder, 8, FRAME, "the kind", md5_checksum=None)
    data = server.folder / "8/data.arff"
    data.write_bytes(data.read_bytes() + b"\0")
    assert table(row(), get(server, row(8))).features.shape[0] == 40


def test_several_targets_are_said_to_be_several(server):
    write_dataset(server.folder, 8, FRAME, "the kind,secret")
    said = "the server names several targets, the kind, secret; give one of them in the suite"
    assert rejection(get(server, row(8))) == said


def test_data_without_a_description_of_columns_is_said_to_have_none(server):
    write_dataset(server.folder, 8, FRAME, "the kind")
    (server.folder / "8/features.xml").write_bytes(
        b'<oml:data_features xmlns:oml="http://openml.org/openml"></oml:data_features>'
    )
    assert rejection(get(server, row(8))).startswith("the server has data but no description of its columns")


def test_a_checksum_of_the_suite_is_verified_too(server):
    data = (server.folder / "7/data.arff").read_bytes()
    assert get(server, row(digest=sha256(data)))
    with pytest.raises(InputError, match=r"^dataset mine: the raw bytes of 7@1 have SHA-256"):
        get(server, row(digest="0" * 64))


def test_files_that_can_not_be_read_are_left_out(server):
    write_dataset(server.folder, 8, FRAME, "the kind", format="CSV")
    assert "offers the data as CSV only" in rejection(get(server, row(8)))
    write_dataset(server.folder, 9, FRAME, "the kind")
    broken = server.folder / "9/data.arff"
    broken.write_text(to_arff(FRAME) + "1,2\n")
    description = server.folder / "9/description.xml"
    text = description.read_text().split("<oml:md5_checksum>")
    description.write_text(text[0] + "<!--" + text[1].replace("</oml:md5_checksum>", "-->"))
    assert "data.arff can't be read (InputError: " in rejection(get(server, row(9)))
    write_dataset(server.folder, 10, FRAME, "the kind")
    (server.folder / "10/features.xml").write_bytes((server.folder / "7/features.xml").read_bytes().replace(
        b"</oml:data_features>", b"<oml:feature><oml:index>6</oml:index><oml:name>x</oml:name>"
        b"<oml:data_type>numeric</oml:data_type></oml:feature></oml:data_features>"))  # fmt: skip
    assert rejection(get(server, row(10))) == "the server describes 7 columns, but data.arff has 6"
    (server.folder / "11").mkdir()
    (server.folder / "11/description.xml").write_text('<oml:a xmlns:oml="http://openml.org/openml"/>')
    assert "its description can't be read (KeyError: " in rejection(get(server, row(11)))


def test_another_version(server):
    reason = rejection(get(server, row(version=2)))
    assert reason == "OpenML 7: the server has version 1 under this id, but the suite says 2"


@pytest.mark.parametrize("locator", ["7", "7@", "@1", "0@1", "7@0", "iris@1", "7@1 ", "7@1@1", "-7@1"])
def test_bad_locators(locator):
    with pytest.raises(InputError, match="must have the form ID@VERSION"):
        parse_locator(dataclasses.replace(row(), locator=locator))


# Faults


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["429", "500", "500 in XML", "overloaded", "cut", "dropped", "slow", "html", "xhtml"])
def test_faults_that_pass(server, monkeypatch, capsys, kind, fault):
    if fault == "429":
        monkeypatch.setattr("balanced_bandits.datasets.sources.openml_client.LONGEST_WAIT", 0.1)  # it asks for a second
    configure(monkeypatch, server, timeout=0.5 if fault == "slow" else 10.0)
    server.slowness = 1.0
    server.faults[(kind, 7)] = [fault, fault]
    assert table(row(), get(server)).features.shape == (40, 3)
    assert server.requests.count((kind, 7)) == 3
    assert sum("; trying again in " in line for line in capsys.readouterr().err.splitlines()) == 2


def test_wrong_md5_that_passes(server, capsys):
    server.faults[("arff", 7)] = ["wrong"]
    assert table(row(), get(server)).features.shape == (40, 3)
    assert "but the description says" in capsys.readouterr().err
    assert cached(server, "dataset.arff").read_bytes() == (server.folder / "7/data.arff").read_bytes()


def test_waits_grow_and_the_server_may_ask_for_longer_ones(server, monkeypatch):
    slept: list[float] = []
    client = Client(configure(monkeypatch, server, back_off=2.0, pause=0.25, retries=4), slept.append)
    server.faults[("description", 7)] = ["500", "500", "500"]
    client.dataset(7)
    assert slept == [2.0, 4.0, 8.0, 0.25, 0.25, 0.25]
    slept.clear()
    client = Client(configure(monkeypatch, server, back_off=0.1, pause=0.0), slept.append)
    server.faults[("arff", 7)] = ["429", "500"]
    client.data(7, f"{server.address}/data/v1/download/7/data.arff", None, "dataset.arff")
    assert slept == [1.0, 0.2, 0.0]


@pytest.mark.parametrize("kind", ["description", "features", "arff"])
@pytest.mark.parametrize(
    ("fault", "said"),
    [("404", "(status 404: no such page)"),
     ("412", "(status 412, code 112: No access granted - This dataset is not shared with you)")],
)  # fmt: skip
def test_404_and_412_are_final_and_say_what_the_server_said(server, kind, fault, said):
    server.faults[(kind, 7)] = fault
    reason = rejection(get(server))
    assert reason.startswith(f"OpenML 7: the server refused {server.address}/")
    assert reason.endswith(said)
    assert server.requests.count((kind, 7)) == 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [("401", "status 401: who are you?"), ("wrong key", "status 412, code 103: Authentication failed")],
)
def test_a_wrong_key_is_no_fault_of_the_dataset(server, fault, said):
    server.faults[("description", 7)] = fault
    with pytest.raises(InputError) as caught:
        get(server)
    assert str(caught.value).startswith("dataset mine: the server refused http")
    assert str(caught.value).endswith(f"({said}); check the API key.")
    assert server.requests == [("description", 7)]


def test_unknown_dataset(server):
    assert rejection(get(server, row(99))).endswith("data/99 (status 412, code 111: Unknown dataset)")


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_that_would_fill_the_memory_is_refused(server, monkeypatch, kind):
    monkeypatch.setattr("balanced_bandits.datasets.sources.openml_client.LARGEST_ANSWER", 2**20)
    server.faults[(kind, 7)] = "bomb"
    assert "returned more than 1048576 bytes, the largest size allowed" in rejection(get(server))
    assert server.requests.count((kind, 7)) == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["500", "429", "cut", "dropped", "overloaded", "html"])
def test_faults_that_stay_are_errors_so_that_the_next_run_tries_again(server, monkeypatch, kind, fault):
    configure(monkeypatch, server, retries=1)
    monkeypatch.setattr("balanced_bandits.datasets.sources.openml_client.LONGEST_WAIT", 0.05)
    server.faults[(kind, 7)] = fault
    with pytest.raises(InputError, match=r"^dataset mine: http.* could not be fetched in 2 attempts; the last error: "):
        get(server)
    server.faults.clear()
    assert table(row(), get(server)).features.shape == (40, 3)


def test_data_that_is_never_what_the_description_says_is_left_out(server):
    server.faults[("arff", 7)] = "wrong"
    reason = rejection(get(server))
    assert reason.startswith("OpenML 7: the file at http")
    assert "its MD5 is" in reason
    assert reason.endswith("(4 attempts)")
    assert server.requests.count(("arff", 7)) == 4
    assert not list((server.folder.parent / "cache").rglob("dataset.arff"))


def test_server_that_is_not_there(server, monkeypatch):
    configure(monkeypatch, server, server="http://127.0.0.1:9/api/v1/xml", retries=0)
    with pytest.raises(InputError, match=r"could not be fetched in 1 attempt; the last error: ConnectionError"):
        get(server)


# The cache


def test_what_is_in_the_cache_is_not_asked_for_again(server):
    first = get(server)
    server.requests.clear()
    assert get(server) == first
    assert server.requests == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [("description.xml", "description"), ("features.xml", "features"), ("qualities.xml", "qualities"),
     ("dataset.arff", "arff")],
)  # fmt: skip
@pytest.mark.parametrize("content", [b"", None, b"<html></html>"])
def test_a_corrupted_file_of_the_cache_is_thrown_away_and_fetched_again(server, capsys, name, kind, content):
    first = get(server)
    path = cached(server, name)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if content is None else content)
    server.requests.clear()
    assert get(server) == first
    assert server.requests == [(kind, 7)]
    assert path.read_bytes() == whole
    assert f"{name} is discarded and fetched again: it" in capsys.readouterr().err


def test_corrupted_pickles_of_the_package_do_not_matter(server):
    first = get(server)
    for path in (server.folder.parent / "cache").rglob("*.pkl"):
        path.write_bytes(b"no pickle")
    assert get(server) == first


def test_offline_uses_the_cache_only(server, monkeypatch):
    first = get(server)
    server.requests.clear()
    configure(monkeypatch, server, offline=True)
    assert get(server) == first
    with pytest.raises(
        InputError, match=r"^dataset mine: openml\.offline is set, but .*8/description\.xml is not in the"
    ):
        get(server, row(8))
    whole = cached(server, "dataset.arff").read_bytes()
    cached(server, "dataset.arff").write_bytes(whole[:-1])
    with pytest.raises(InputError, match=r"openml\.offline is set, but .*dataset\.arff is corrupt: its MD5 is"):
        get(server)
    cached(server, "dataset.arff").unlink()
    with pytest.raises(InputError, match=r"openml\.offline is set, but .*dataset\.arff is not in the cache"):
        get(server)
    assert cached(server, "description.xml").exists()
    assert server.requests == []


def test_offline_takes_whichever_file_is_there(server, monkeypatch):
    write_dataset(server.folder, 8, FRAME, "the kind", parquet=True)
    get(server, row(8))
    configure(monkeypatch, server, offline=True, prefer="parquet")
    assert table(row(), get(server, row(8))).features.shape[0] == 40


# The key, the limit, the settings


def test_the_key_goes_to_its_server_and_nowhere_else(server, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("MY_KEY", KEY)
    settings = configure(monkeypatch, server, api_key_variable="MY_KEY", prefer="parquet", retries=1, back_off=0.0)
    other = f"http://localhost:{server.server_port}/datasets/8/data.pq"
    write_dataset(server.folder, 8, FRAME, "the kind", parquet=True, parquet_url=other)
    raw = get(server, row(8))
    assert server.keys["description"] == server.keys["features"] == {KEY}
    assert server.keys["parquet"] == set()
    for path in [*(tmp_path / "cache").rglob("*"), *(tmp_path / "data").rglob("*")]:
        assert path.is_dir() or KEY.encode() not in path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert KEY.encode() not in archive.read("about.json")
    server.faults[("description", 7)] = "dropped"
    with pytest.raises(InputError) as caught:
        get(server)
    dead = dataclasses.replace(settings, server="http://127.0.0.1:9/api/v1/xml")
    monkeypatch.setenv(SETTINGS_VARIABLE, json.dumps(dataclasses.asdict(dead)))
    with pytest.raises(InputError) as refused:
        get(server)
    assert "(the API key)" in str(refused.value)
    assert KEY not in str(refused.value) + str(caught.value) + "".join(capsys.readouterr())


def test_the_packages_own_configuration(server, tmp_path):
    home = tmp_path / "configuration/openml"
    home.mkdir(parents=True)
    own = tmp_path / "own cache"
    (home / "config").write_text(f"apikey = {KEY}\nserver = {server.api}\ncachedir = {own}\n")
    settings = json.dumps({"server": None, "cache": None, "pause": 0})
    environment = {key: value for key, value in os.environ.items() if key != "OPENML_CACHE_DIR"}
    program = (
        "from pathlib import Path; from balanced_bandits.datasets.sources.openml import fetch, table\n"
        "from balanced_bandits.datasets.suite import Row\n"
        f"row = Row.from_json({row().to_json()!r})\n"
        f"print(table(row, fetch(row, Path('.'), Path({str(tmp_path / 'archives')!r}))).features.shape)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment | {SETTINGS_VARIABLE: settings}, cwd=ROOT, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.stdout == "(40, 3)\n", done.stderr
    assert server.keys["description"] == {KEY}
    assert list(own.rglob("datasets/7/dataset.arff"))


def test_encoding_needs_neither_openml_nor_the_network(server, tmp_path):
    (tmp_path / "raw").write_bytes(get(server))
    program = (
        "import sys, socket; socket.socket = None\n"
        "from pathlib import Path; from balanced_bandits.datasets.prepare import prepare\n"
        "from balanced_bandits.datasets.suite import Row\n"
        f"folder = Path({str(tmp_path)!r}); row = Row.from_json({row().to_json()!r})\n"
        "prepare(row, folder / 'raw', folder / 'out.npz')\n"
        "print([name for name in ('openml', 'requests') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.stdout == "[]\n", done.stderr
    assert read_arrays(tmp_path / "out.npz")[1]["X"].shape == (40, 6)


def test_no_more_than_so_many_at_the_same_time(tmp_path):
    inside, most, lock = 0, [], threading.Lock()

    def visit() -> None:
        nonlocal inside
        with one_of_few(tmp_path, 2):
            with lock:
                inside += 1
                most.append(inside)
            time.sleep(0.05)
            with lock:
                inside -= 1

    threads = [threading.Thread(target=visit) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(most) == 8
    assert max(most) == 2


def test_the_configuration_has_the_defaults_of_the_settings():
    assert checked_config({})["openml"] == dataclasses.asdict(Settings())


def test_only_reading_is_allowed(server, monkeypatch):
    client = Client(configure(monkeypatch, server))
    with pytest.raises(InputError, match="this pipeline only reads"):
        client.openml.datasets.delete_dataset(7)
    assert server.requests == []


# Counts


def test_counts_that_differ_are_reported_and_not_fatal(server, tmp_path):
    (tmp_path / "raw").write_bytes(get(server))
    given = dataclasses.replace(row(), n=41, d=5)
    record = prepare(given, tmp_path / "raw", tmp_path / "data.npz")
    assert record["encoding"]["differences"] == "n = 40 where the suite says 41, d = 3 where the suite says 5"
    assert (record["n"], record["d"], record["K"]) == (40, 3, 3)
    assert record["rejected"] is None
