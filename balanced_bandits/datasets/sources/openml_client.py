"""A client based on the openml package, and the only place with workarounds for its defects.

Descriptions, features and qualities are fetched with ``openml.datasets.get_dataset`` and stored in the package's cache
under its names. These are the defects of openml 0.15.1 and the workarounds:

- Requests have no timeout. Responses 429 and 5xx are retried only if their body is not XML, and so is 404 with a body
  that is not XML. ``Client.send`` replaces the package's function.
- If a server names no charset, text is decoded as Latin-1. ``send`` sets UTF-8.
- Data files are decoded, encoded again and then compared with the MD5, so files in Latin-1 can't be fetched. Parquet
  is fetched without TLS and without retries. Data files are fetched here, as bytes.
- ``get_data`` fails on sparse ARFF (pandas 3 does not factorise lists), loses empty last columns and rounds to 32 bits.
  The bytes are read by ``formats``.
- The cache is never checked and is written in place, so a broken file stays. Here it is checked on every use.
- A failed request removes everything that the cache has of the dataset. Offline, the package is not called unless all
  files are there.
- A dataset without qualities (code 362) is an error, since the package compares a different text than it writes.
- The flags of features (ignored, row identifier) are dropped, and nominal features without a list of values are an
  error. ``features.xml`` is read by ``sources.openml``.
- Responses of any size are read into memory. Here the limit is ``LARGEST_ANSWER``.
- Error messages of broken connections contain the API key. Here it is removed.
"""

import hashlib
import os
import re
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import requests
from filelock import FileLock, Timeout

from balanced_bandits.core.errors import InputError, RejectedError
from balanced_bandits.core.files import write_bytes
from balanced_bandits.datasets.sources.openml_settings import Settings

NAMESPACE = "{http://openml.org/openml}"
LONGEST_WAIT = 120.0  # seconds between two attempts, an upper bound on the back-off and on what the server asks for
OVERLOADED = 107  # OpenML's code for a database that does not respond; it comes with status 412 but is temporary
NO_QUALITIES = 362
LARGEST_ANSWER = 2**31  # bytes; larger ones are refused before they are read in full
WRONG_KEY = 103


class RefusedError(RejectedError):
    """The server refused a request for good (status 404, 412 or similar); the message says why."""

    def __init__(self, reason: str, status: int, code: int | None) -> None:
        super().__init__(reason)
        self.status, self.code = status, code


@contextmanager
def one_of_few(folder: Path, number: int) -> Iterator[None]:
    """Let at most ``number`` processes with the same ``folder`` run the block at a time; the others wait."""
    locks = [FileLock(folder / f"openml-{i}.lock") for i in range(number)]
    while not any(_taken(lock) for lock in locks):
        time.sleep(0.1)
    try:
        yield
    finally:
        for lock in locks:
            lock.release()


def _taken(lock: FileLock) -> bool:
    """Try to acquire the lock without waiting; return whether it worked."""
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    return True


class Client:
    """The server in the settings, and the cache of what was fetched from it."""

    def __init__(self, settings: Settings, sleep: Callable[[float], None] = time.sleep) -> None:
        self.settings, self.sleep = settings, sleep
        if settings.cache is not None:
            os.environ["OPENML_CACHE_DIR"] = str(Path(settings.cache).resolve())  # or the import creates another one
        import openml

        if not hasattr(openml._api_calls, "_send_request"):
            raise InputError(f"openml {openml.__version__} is not supported; install openml 0.15.")
        openml._api_calls._send_request = self.send
        if settings.server is not None:
            openml.config.server = settings.server
        if settings.cache is not None:
            openml.config.set_root_cache_directory(Path(settings.cache).resolve())
        openml.config.apikey = os.environ.get(settings.api_key_variable) or openml.config.apikey
        self.openml = openml
        self.key: str = openml.config.apikey
        self.server: str = openml.config.server.rstrip("/")

    def folder(self, number: int) -> Path:
        """The folder of a dataset in the package's cache."""
        return Path(self.openml.config.get_cache_directory()) / "datasets" / str(number)

    def dataset(self, number: int) -> tuple[Any, dict[str, float]]:
        """The package's object for a dataset, and its qualities; stores the description and features in the cache."""
        folder = self.folder(number)
        for kind in ("description", "features", "qualities"):
            path = folder / f"{kind}.xml"
            if path.exists() and (fault := _fault_of_xml(path.read_bytes())):
                self._discard(path, fault)
            if self.settings.offline and kind != "qualities" and not path.exists():
                raise self._missing(path)
            path.with_suffix(".xml.pkl").unlink(missing_ok=True)  # the package would prefer it to the XML
        try:
            found = self.openml.datasets.get_dataset(number)
        except (InputError, RejectedError):
            raise
        except Exception as error:  # the description lacks something that the package requires
            raise RejectedError(f"its description can't be read ({type(error).__name__}: {error})") from error
        try:
            _ = found.features  # stores features.xml in the cache
        except InputError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            print(f"the openml package can't read features.xml, which is not needed: {error}", file=sys.stderr)
        if self.settings.offline and not (folder / "qualities.xml").exists():
            return found, {}
        try:
            return found, found.qualities or {}
        except RefusedError as refusal:
            if refusal.code == NO_QUALITIES:
                return found, {}
            raise

    def data(self, number: int, url: str, md5: str | None, name: str) -> bytes:
        """The bytes of a data file, from the cache if it holds them intact; ``name`` is the file's name there."""
        path = self.folder(number) / name

        fault = _fault_of_parquet if name.endswith(".pq") else _fault_of_arff
        if path.exists():
            content = path.read_bytes()
            if not (said := fault(content) or _mismatch(content, md5)):
                return content
            self._discard(path, said)
        if self.settings.offline:
            raise self._missing(path)
        # The key is for the API server only, not for other hosts of data files.
        mine = urlparse(url).netloc == urlparse(self.server).netloc
        content = self._get(url, {"api_key": self.key} if mine and self.key else {}, fault, md5).content
        write_bytes(path, content)
        return content

    def send(
        self, request_method: str, url: str, data: dict[str, Any], files: object = None, md5_checksum: object = None
    ) -> requests.Response:
        """Call the API; replaces the package's function with this signature, and refuses to upload anything."""
        if request_method != "get":
            raise InputError(f"a {request_method} request to {url} was stopped: this pipeline only reads.")
        if self.settings.offline:
            raise InputError(f"openml.offline is set, so {url} was not requested.")
        return self._get(url, data, _fault_of_xml)

    def _get(
        self, url: str, parameters: dict[str, Any], fault: Callable[[bytes], str], md5: str | None = None
    ) -> requests.Response:
        """Fetch a URL, with as many attempts as the settings allow.

        ``fault`` returns what is wrong with a content, or "". An HTML page instead of data may be temporary, so it is
        an error. Complete data that never has the MD5 of the description means that the dataset is left out.
        """
        waits = [self.settings.back_off * 2**i for i in range(self.settings.retries)]
        mismatch = said = ""
        for wait in (*waits, None):
            asked_to_wait = 0.0
            try:
                with requests.get(url, params=parameters, timeout=self.settings.timeout, stream=True) as response:
                    _read(response, LARGEST_ANSWER)
            except (requests.exceptions.InvalidSchema, requests.exceptions.InvalidURL) as error:
                raise RejectedError(f"{url} is not a valid address ({error})") from error
            except requests.RequestException as error:
                mismatch, said = "", self._without_key(f"{type(error).__name__}: {error}")
            else:
                response.encoding = "utf-8"
                if response.status_code == 200:
                    said = fault(response.content)
                    mismatch = "" if said else _mismatch(response.content, md5)
                    said = said or mismatch
                    if not said:
                        self.sleep(self.settings.pause)
                        return response
                else:
                    mismatch, said = "", self._refusal(url, response)
                    asked_to_wait = _seconds(response.headers.get("Retry-After", ""))
            if wait is not None:
                wait = min(max(wait, asked_to_wait), LONGEST_WAIT)
                print(f"{url}: {said}; trying again in {wait:g} s", file=sys.stderr)
                self.sleep(wait)
        attempts = f"{len(waits) + 1} attempt{'s' if waits else ''}"
        if mismatch:
            raise RejectedError(f"the file at {url} does not match its description: {mismatch} ({attempts})")
        raise InputError(f"{url} could not be fetched in {attempts}; the last error: {said}. Run again to continue.")

    def _refusal(self, url: str, response: requests.Response) -> str:
        """The error in a response other than 200; raises if another attempt would be useless."""
        status = response.status_code
        code, message = None, ""
        try:
            error = ElementTree.fromstring(response.content)
        except ElementTree.ParseError:
            message = " ".join(re.sub(r"<[^>]*>", " ", response.text).split())[:200]
        else:
            parts = [error.findtext(f"{NAMESPACE}{key}") for key in ("code", "message", "additional_information")]
            code = int(parts[0]) if parts[0] and parts[0].isdigit() else None
            message = " - ".join(part.strip() for part in parts[1:] if part and part.strip())
        said = self._without_key(f"status {status}{f', code {code}' if code else ''}: {message or response.reason}")
        if status in (408, 425, 429) or status >= 500 or code == OVERLOADED:
            return said
        if status in (401, 403) or code == WRONG_KEY:  # not the fault of the dataset
            raise InputError(f"the server refused {url} ({said}); check the API key.")
        raise RefusedError(f"the server refused {url} ({said})", status, code)

    def _missing(self, path: Path) -> InputError:
        """The error for a file that is missing from the cache in an offline run."""
        return InputError(f"openml.offline is set, but {path} is not in the cache; run once without it.")

    def _discard(self, path: Path, fault: str) -> None:
        """Discard a corrupt file in the cache, unless it can't be replaced."""
        if self.settings.offline:
            raise InputError(f"openml.offline is set, but {path} is corrupt: {fault}; run once without it.")
        print(f"{path} is discarded and fetched again: {fault}", file=sys.stderr)
        path.unlink()

    def _without_key(self, text: str) -> str:
        """``text`` without the API key, for logs."""
        return text.replace(self.key, "(the API key)") if self.key else text


def _read(response: requests.Response, largest: int) -> None:
    """Read a response as requests would, but refuse a large one; a small one may unpack to a large one."""
    parts, size = [], 0
    for part in response.iter_content(2**20):
        size += len(part)
        if size > largest:
            raise RejectedError(
                f"{response.url.partition('?')[0]} returned more than {largest} bytes, the largest size allowed"
            )
        parts.append(part)
    response._content = b"".join(parts)  # for `content`, which fails on a stream that was already read


def _seconds(header: str) -> float:
    """The header Retry-After if it is a number of seconds, else 0."""
    return float(header) if header.isdigit() else 0.0


def _fault_of_xml(content: bytes) -> str:
    """Why ``content`` is not a response of the API, or ""."""
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        return f"it is not XML ({error})"
    return "" if root.tag.startswith(NAMESPACE) else f"its root is {root.tag}, which is not from OpenML"


def _fault_of_arff(content: bytes) -> str:
    """Why ``content`` is not an ARFF file, or ""."""
    return "" if re.search(rb"(?im)^\s*@data", content) else "it has no @data line, so it is not ARFF"


def _mismatch(content: bytes, md5: str | None) -> str:
    """How the MD5 of ``content`` differs from the one in the description, or ""; "NotApplicable" is none."""
    expected = (md5 or "").strip().lower()
    found = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if not re.fullmatch(r"[0-9a-f]{32}", expected) or found == expected:
        return ""
    return f"its MD5 is {found}, but the description says {md5}"


def _fault_of_parquet(content: bytes) -> str:
    """Why ``content`` is not a complete Parquet file, or ""; the server has no checksum of it."""
    whole = len(content) > 12 and content[:4] == content[-4:] == b"PAR1"
    return "" if whole else "it does not begin and end like a Parquet file"
