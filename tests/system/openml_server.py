"""A small OpenML: an HTTP server that speaks its XML API and serves datasets from files, with faults on demand.

A dataset is a folder FOLDER/ID with description.xml, features.xml, qualities.xml and data.arff, and perhaps data.pq, in
the form of OpenML's public schema (namespace http://openml.org/openml); "SERVER" in a file becomes the address.
``write_dataset`` makes such folders of tables, ``replay`` of the answers of the real server inside scikit-learn.

By hand: python tests/system/openml_server.py FOLDER (ends by itself after ten minutes).
"""

import contextlib
import gzip
import hashlib
import io
import json
import sys
import threading
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlparse
from xml.sax.saxutils import escape

import pandas as pd
import sklearn.datasets

RECORDED = Path(sklearn.datasets.__file__).parent / "tests/data/openml"
LONGEST_LIFE = 600  # seconds
UNKNOWN = {"description": (111, "Unknown dataset"), "features": (271, "Unknown dataset"),
           "qualities": (361, "Unknown dataset")}  # fmt: skip


class Server(ThreadingHTTPServer):
    """``faults`` are what befalls requests, by (kind, id): the next ones of a list, or all if it is a string."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.faults: dict[tuple[str, int], list[str] | str] = {}
        self.requests: list[tuple[str, int]] = []
        self.keys: dict[str, set[str]] = defaultdict(set)
        self.slowness = 1.0
        self.duration = 0.0  # of every answer
        self.content_type = "text/xml"  # without a charset, as the real one
        self.at_once = self.most_at_once = 0
        self.counting = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def api(self) -> str:
        return f"{self.address}/api/v1/xml"

    def fault(self, kind: str, number: int) -> str:
        with self.counting:
            faults = self.faults.get((kind, number), [])
            return faults if isinstance(faults, str) else faults.pop(0) if faults else ""

    def __enter__(self) -> "Server":
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        self.end = threading.Timer(LONGEST_LIFE, self.shutdown)
        self.end.daemon = True
        self.end.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end.cancel()
        self.shutdown()
        self.thread.join()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    timeout = 30

    def do_GET(self) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # a client that did not wait
            self.respond()

    def respond(self) -> None:
        parsed = urlparse(self.path)
        parts = parsed.path.strip("/").split("/")
        match parts:
            case ["api", "v1", "xml", "data", ("features" | "qualities") as kind, number]:
                name = f"{kind}.xml"
            case ["api", "v1", "xml", "data", number]:
                kind, name = "description", "description.xml"
            case ["data", "v1", "download", number, _]:
                kind, name = "arff", "data.arff"
            case ["datasets", number, _]:
                kind, name = "parquet", "data.pq"
            case _:
                return self.send_error(404)
        server = self.server
        server.requests.append((kind, int(number)))
        server.keys[kind] |= set(parse_qs(parsed.query).get("api_key", []))
        path = server.folder / number / name
        content = path.read_bytes().replace(b"SERVER", server.address.encode()) if path.exists() else None
        self.take_time()
        match server.fault(kind, int(number)):
            case "404":
                self.answer(b"<html><br>no such page</html>", status=404)
            case "412":
                self.error(412, 112, "No access granted", "This dataset is not shared with you")
            case "wrong key":
                self.error(412, 103, "Authentication failed")
            case "401":
                self.answer(b"who are you?", status=401)
            case "overloaded":
                self.error(412, 107, "Database connection error")
            case "429":
                self.answer(b"slow down", status=429, more={"Retry-After": "1"})
            case "500":
                self.answer(b"<html><br>sorry</html>", status=500)
            case "500 in XML":
                self.error(500, 999, "Please try again")
            case "html":
                self.answer(b"<!DOCTYPE html><html><body>Maintenance<br></body></html>")
            case "xhtml":
                self.answer(b"<html><body>Maintenance</body></html>")
            case "slow":
                time.sleep(server.slowness)
                self.answer(content or b"")
            case "cut":
                self.answer(content or b"", sent=len(content or b"") // 2)
            case "bomb":  # a few kilobytes that unpack to megabytes
                self.answer(gzip.compress(bytes(8 * 2**20)), more={"Content-Encoding": "gzip"})
            case "dropped":
                self.connection.close()
            case "wrong":
                self.answer((content or b"").replace(b"1", b"2"))
            case "":
                if content is not None:
                    self.answer(content)
                elif kind == "qualities" and path.parent.exists():
                    self.error(412, 362, "No qualities found")
                elif kind in UNKNOWN:
                    self.error(412, *UNKNOWN[kind])
                else:
                    self.send_error(404)
            case other:
                raise ValueError(other)

    def take_time(self) -> None:
        """Count the requests at work, up to the first byte of the answer: later, the client may be at its next one."""
        server = self.server
        with server.counting:
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        time.sleep(server.duration)
        with server.counting:
            server.at_once -= 1

    def error(self, status: int, code: int, message: str, more: str = "") -> None:
        inner = {"code": code, "message": message} | ({"additional_information": more} if more else {})
        self.answer(to_xml("error", inner), status=status)

    def answer(self, content: bytes, status: int = 200, sent: int | None = None, more: dict | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", self.server.content_type)
        self.send_header("Content-Length", str(len(content)))
        for header, value in (more or {}).items():
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(content[:sent])

    def log_message(self, *arguments: object) -> None:
        """Be quiet."""


def to_xml(root: str, content: dict) -> bytes:
    """Nested mappings and lists as XML of OpenML's namespace."""

    def inner(value: object) -> str:
        return "".join(element(*item) for item in value.items()) if isinstance(value, dict) else escape(str(value))

    def element(name: str, value: object) -> str:
        if isinstance(value, list):
            return "".join(element(name, each) for each in value)
        return f"<oml:{name}>{inner(value)}</oml:{name}>\n"

    top = f'<oml:{root} xmlns:oml="http://openml.org/openml">\n{inner(content)}</oml:{root}>\n'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{top}'.encode()


def write_folder(folder: Path, description: dict, features: list[dict], qualities: dict | None, data: bytes) -> None:
    """The folder of one dataset."""
    place = folder / str(description["id"])
    place.mkdir(parents=True, exist_ok=True)
    (place / "description.xml").write_bytes(to_xml("data_set_description", description))
    (place / "features.xml").write_bytes(to_xml("data_features", {"feature": features}))
    if qualities:
        listed = [{"name": name, "value": value} for name, value in qualities.items()]
        (place / "qualities.xml").write_bytes(to_xml("data_qualities", {"quality": listed}))
    (place / "data.arff").write_bytes(data)


def write_dataset(
    folder: Path, number: int, frame: pd.DataFrame, target: str | None, *, sparse: bool = False, parquet: bool = False,
    encoding: str = "utf-8", flags: dict[str, str] | None = None, **description: object,
) -> None:  # fmt: skip
    """The folder of a dataset of this table; text columns are nominal, ``flags`` gives columns the flag is_..."""
    data = to_arff(frame, sparse).encode(encoding)
    features = []
    for i, column in enumerate(frame.columns):
        nominal = not pd.api.types.is_numeric_dtype(frame[column].dtype)
        feature = {"index": i, "name": column, "data_type": "nominal" if nominal else "numeric"}
        feature |= {"nominal_value": sorted(frame[column].dropna().unique())} if nominal else {}
        feature |= {key: str((flags or {}).get(column) == key).lower() for key in ("is_ignore", "is_row_identifier")}
        features.append(feature | {"is_target": str(column == target).lower(), "number_of_missing_values": 0})
    about = {
        "id": number, "name": f"set{number}", "version": 1, "description": "made for a test",
        "format": "Sparse_ARFF" if sparse else "ARFF", "licence": "CC0",
        "url": f"SERVER/data/v1/download/{number}/data.arff", "file_id": number, "visibility": "public",
        "status": "active", "md5_checksum": hashlib.md5(data).hexdigest(),
    }  # fmt: skip
    about |= {"default_target_attribute": target} if target else {}
    about |= {"parquet_url": f"SERVER/datasets/{number}/data.pq"} if parquet else {}
    about |= description
    about = {key: value for key, value in about.items() if value is not None}
    qualities = {"NumberOfInstances": float(len(frame)), "NumberOfFeatures": float(frame.shape[1])}
    write_folder(folder, about, features, qualities, data)
    if parquet:
        packed = io.BytesIO()
        frame.to_parquet(packed)
        (folder / str(number) / "data.pq").write_bytes(packed.getvalue())


def to_arff(frame: pd.DataFrame, sparse: bool = False) -> str:
    """A table as ARFF, all names and texts in quotes."""

    def quoted(value: object) -> str:
        return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"

    def cell(value: object) -> str:
        return "?" if pd.isna(value) else quoted(value) if isinstance(value, str) else repr(float(value))

    lines, firsts = ["@relation test"], {}
    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column].dtype):
            values = sorted(frame[column].dropna().unique())
            firsts[column] = values[0] if values else None
            kind = "{" + ",".join(map(quoted, values)) + "}"
        else:
            firsts[column], kind = 0, "numeric"
        lines.append(f"@attribute {quoted(column)} {kind}")
    lines.append("@data")
    for row in frame.itertuples(index=False):
        if sparse:
            kept = [(i, value) for i, value in enumerate(row) if pd.isna(value) or value != firsts[frame.columns[i]]]
            lines.append("{" + ",".join(f"{i} {cell(value)}" for i, value in kept) + "}")
        else:
            lines.append(",".join(map(cell, row)))
    return "\n".join(lines) + "\n"


def replay(folder: Path, number: int) -> dict:
    """The folder of a dataset as the real server answered for it; gives its description."""
    place = RECORDED / f"id_{number}"

    def recorded(kind: str) -> dict:
        with gzip.open(place / f"api-v1-{kind}-{number}.json.gz") as file:
            return json.load(file)

    description = recorded("jd")["data_set_description"]
    with gzip.open(next(place.glob("data-v1-dl-*.arff.gz"))) as file:
        data = file.read()
    features = recorded("jdf")["data_features"]["feature"]
    for feature in features:
        if isinstance(values := feature.pop("nominal_values", None), str):
            feature["nominal_value"] = json.loads(values)
    qualities = None
    if (place / f"api-v1-jdq-{number}.json.gz").exists() and "data_qualities" in (answer := recorded("jdq")):
        listed = answer["data_qualities"]["quality"]
        qualities = {quality["name"]: quality["value"] or "null" for quality in listed}
    description["url"] = f"SERVER/data/v1/download/{number}/{number}.arff"
    write_folder(folder, description, features, qualities, data)
    return description


if __name__ == "__main__":
    with Server(Path(sys.argv[1])) as running:
        print(running.api, flush=True)
        running.thread.join()
