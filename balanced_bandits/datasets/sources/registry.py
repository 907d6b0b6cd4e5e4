"""Files on the Python package registry, found and downloaded with pip's own finder and session.

So the user's configuration of pip applies (indexes, mirrors, folders of links, certificates, proxies, credentials), and
no host is named here. ``pip download`` is not used, because it runs the setup.py of a source distribution to learn what
it requires. Nothing here builds, installs, imports or runs anything of what is downloaded.

pip has no public interface for this. All that is used of its internals is in this module, and pyproject.toml limits pip
to the versions with which it was tested.
"""

import logging
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from packaging.tags import Tag
from packaging.utils import InvalidSdistFilename, InvalidWheelFilename, parse_sdist_filename, parse_wheel_filename

from balanced_bandits.core.errors import InputError

CHUNK = 2**16  # bytes; of a connection that breaks, at most as many are lost
BETWEEN_REPORTS = 10.0  # seconds
OLD_SDIST = ".tar.bz2"  # as published before .tar.gz and .zip became the only ones
TERMINAL_VARIABLE = "BALANCED_BANDITS_TERMINAL"  # the terminal of a run, for messages of jobs whose output goes to logs
PROGRESS = logging.getLogger("balanced_bandits.downloads")  # messages to the user


def project_and_version(file: str) -> tuple[str, str]:
    """The project and the version in the name of a wheel or of a source distribution."""
    try:
        if "/" in file:  # packaging accepts it in the last part of a name
            raise InvalidWheelFilename("it is a path")
        if file.endswith(".whl"):
            project, version, _, _ = parse_wheel_filename(file)
        else:
            project, version = parse_sdist_filename(re.sub(rf"{re.escape(OLD_SDIST)}$", ".tar.gz", file))
    except (InvalidWheelFilename, InvalidSdistFilename) as error:
        raise InputError(f"{file!r} is not the file name of a wheel or of a source distribution ({error}).") from error
    return project, str(version)


def download(file: str, size: int, part: Path) -> None:
    """Try once to download exactly this file to ``part``, where bytes of an earlier attempt may be; continue there.

    ``size`` is its size in bytes; a larger response is cut off. Whether the bytes are the right ones is for the caller
    to check.
    """
    try:
        _download(file, size, part)
    except (ImportError, AttributeError, TypeError) as error:  # pip is not installed, or its internals have changed
        raise InputError(f"pip can't be used ({error}); install a version that pyproject.toml allows") from error


def _download(file: str, size: int, part: Path) -> None:
    from pip._internal.exceptions import PipError
    from pip._vendor.requests import RequestException
    from pip._vendor.urllib3.exceptions import HTTPError

    try:
        with _session(file) as (session, finder), _said_by_pip() as said:
            project, _ = project_and_version(file)
            links = (found.link for found in finder.find_all_candidates(project))
            link = next((link for link in links if link.filename == file), None)
            if link is None:
                raise InputError(f"pip finds no such file where it is configured to look. {' '.join(said)}".strip())
            _receive(session, link.url_without_fragment, file, size, part)
    except SystemExit as error:  # it has printed why
        raise InputError("pip does not accept its own configuration; 'pip config list' shows it") from error
    except (PipError, RequestException, HTTPError, OSError) as error:
        raise InputError(" ".join(str(error).split()) or type(error).__name__) from error


@contextmanager
def _session(file: str) -> Iterator[tuple[Any, Any]]:
    """Pip's session and its finder, set up as ``pip download`` does; the finder accepts wheels for any machine."""
    from pip._internal.cli.cmdoptions import make_target_python
    from pip._internal.commands import create_command

    command: Any = create_command("download")
    with command.main_context():
        options, _ = command.parse_args(
            # Without pip's cache, which may hold a broken copy from an earlier attempt; retries are made by the caller.
            ["--no-input", "--no-cache-dir", "--retries=0", "--no-deps", "--ignore-requires-python", *_kind(file), file]
        )
        session = command.get_default_session(options)
        target = make_target_python(options)
        yield session, command._build_package_finder(options, session, target, ignore_requires_python=True)


def _kind(file: str) -> list[str]:
    """Options that make pip find a wheel of any platform or a source distribution, since it is not installed."""
    if not file.endswith(".whl"):
        return ["--no-binary=:all:"]
    tag: Tag = min(parse_wheel_filename(file)[3], key=str)
    if tag.platform == "any" and tag.interpreter == "py3":
        return ["--only-binary=:all:"]
    python = tag.interpreter.removeprefix("cp").removeprefix("py")
    return ["--only-binary=:all:", "--implementation", tag.interpreter[:2], "--python-version", python,
            "--abi", tag.abi, "--platform", tag.platform]  # fmt: skip


@contextmanager
def _said_by_pip() -> Iterator[list[str]]:
    """Collects what pip says about indexes that it can't read, which it skips."""
    said: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            message = record.getMessage()
            if record.levelno >= logging.WARNING or message.startswith("Could not fetch URL"):
                said.append(message)

    handler = Collector()
    logger = logging.getLogger("pip")
    before = logger.level, logger.propagate
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(handler)
    try:
        yield said
    finally:
        logger.removeHandler(handler)
        logger.level, logger.propagate = before


def _receive(session: Any, url: str, file: str, size: int, part: Path) -> None:
    """Append what is missing to ``part``, or start over if the server sends the whole file."""
    start = part.stat().st_size if part.exists() else 0
    if start >= size:  # not the right bytes, or the caller would have used them
        start = 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    with session.get(url, headers=headers, stream=True) as response:
        response.raise_for_status()
        if start and response.headers.get("Content-Range", "").partition("-")[0] != f"bytes {start}":
            start = 0
        progress = Progress(file, size, start)
        with open(part, "ab" if start else "wb") as opened:
            for chunk in response.iter_content(CHUNK):
                opened.write(chunk)
                progress.add(len(chunk))
                if progress.done > size:
                    raise InputError(f"the server sends more than the {size} bytes in archives.tsv")
    if progress.done < size:
        raise InputError(f"the connection ended after {progress.done} of {size} bytes")


def share_terminal() -> None:
    """Tell the jobs of this run where its terminal is, if standard error is one."""
    with suppress(OSError):
        os.environ.setdefault(TERMINAL_VARIABLE, os.ttyname(sys.stderr.fileno()))


def show_progress() -> None:
    """Print messages on downloads on standard error and, if this is a job of a run with a terminal, there as well."""
    PROGRESS.setLevel(logging.INFO)
    PROGRESS.addHandler(logging.StreamHandler())
    if terminal := os.environ.get(TERMINAL_VARIABLE):
        with suppress(OSError):  # it may be gone
            PROGRESS.addHandler(logging.FileHandler(terminal))


class Progress:
    """Says how much of a file has been downloaded, and the time left."""

    def __init__(self, file: str, size: int, done: int):
        self.file, self.size, self.done, self.start = file, size, done, done
        self.began = self.reported = time.monotonic()
        resumed = f", {megabytes(done)} of them from an earlier attempt" if done else ""
        PROGRESS.info("downloading %s (%s%s)", file, megabytes(size), resumed)

    def add(self, count: int) -> None:
        """Count bytes that arrived; says so at most once in a few seconds."""
        self.done += count
        now = time.monotonic()
        if now - self.reported >= BETWEEN_REPORTS:
            self.reported = now
            left = (self.size - self.done) * (now - self.began) / max(self.done - self.start, 1)
            PROGRESS.info(
                "%s: %s of %s, about %.0f s left", self.file, megabytes(self.done), megabytes(self.size), left
            )


def megabytes(size: float) -> str:
    """A number of bytes in MB, in words."""
    return f"{size / 1e6:.1f} MB" if size < 1e7 else f"{size / 1e6:.0f} MB"
