"""A package index in this process, with a wheel and source distributions, for the real finder and session of pip."""

import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

DATA = b"a,class\n1,u\n2,v\n"
SERIES = (b"@data\n1,2:u\n", b"@data\n3,4:v\n")
ANY = "tinydata-1.0-py3-none-any.whl"
WINDOWS = "tinydata-1.0-cp39-cp39-win_amd64.whl"
SDIST = "tinydata-1.0.tar.gz"
OLD = "tinydata-1.0.tar.bz2"
ZIPPED = "tinydata-1.0.zip"


def zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return packed.getvalue()


def tarred(files: Mapping[str, bytes], mode: str = "w:gz") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


FILES = {"tinydata/a.csv": DATA, "tinydata/one.ts": SERIES[0], "tinydata/two.ts": SERIES[1]}
GENES = b"gene\ts1\ts2\na\t1\t2\nb\t3\t4\n"
INNER = {"csv/a.csv": DATA, "csv/labels.csv": b"sort\nx\ny\n", "csv/genes.txt": GENES}
SOURCE = {f"tinydata-1.0/{path}": content for path, content in FILES.items()} | {
    "tinydata-1.0/inner.tar.gz": tarred(INNER),
    "tinydata-1.0/inner.zip": zipped(INNER),
}
ARCHIVES = {
    ANY: zipped(FILES),
    WINDOWS: zipped(FILES),
    SDIST: tarred(SOURCE),
    OLD: tarred(SOURCE, "w:bz2"),
    ZIPPED: zipped(SOURCE),
}


class Index(ThreadingHTTPServer):
    """``faults`` befall the next downloads, or all if it is a string; ``ranges``: whether parts are served."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.archives = dict(ARCHIVES)
        self.faults: list[str] | str = []
        self.downloads: list[str] = []
        self.asked: list[str | None] = []
        self.pages = 0
        self.ranges = True

    def fault(self) -> str:
        if isinstance(self.faults, str):
            return self.faults
        return self.faults.pop(0) if self.faults else ""


class Handler(BaseHTTPRequestHandler):
    """One request to the index."""

    server: Index

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        if self.path == "/index/tinydata/":
            self.server.pages += 1
            self.answer("".join(f'<a href="/files/{name}">{name}</a>' for name in self.server.archives).encode())
        elif name in self.server.archives:
            self.server.downloads.append(name)
            self.server.asked.append(self.headers["Range"])
            content = self.server.archives[name]
            match self.server.fault():
                case "500":
                    self.send_error(500)
                case "truncated":
                    self.answer(content, sent=len(content) // 2)
                case "wrong":
                    self.answer(b"x" * len(content))
                case "longer":
                    self.answer(content + b"more")
                case _:
                    self.answer(content)
        else:
            self.send_error(404)

    def answer(self, content: bytes, sent: int | None = None) -> None:
        start = int((self.headers["Range"] or "bytes=0-")[6:-1]) if self.server.ranges else 0
        self.send_response(206 if start else 200)
        self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/octet-stream")
        self.send_header("Content-Length", str(len(content) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        self.wfile.write(content[start:sent])

    def log_message(self, *arguments: object) -> None:
        """Be quiet."""


@contextmanager
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """A running index, the only one that pip asks."""
    with Index() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/index/")
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
        for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX", "PIP_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
