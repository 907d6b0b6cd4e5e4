"""Checksums of raw bytes and of data."""

import hashlib
import json
from typing import Any

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets.suite import Row


def sha256(raw: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(raw).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 of a value that JSON can represent, independent of the order of its keys."""
    return sha256(json.dumps(value, sort_keys=True).encode())


def checked(row: Row, raw: bytes) -> bytes:
    """Return ``raw`` if it has the checksum in the row; raise ``InputError`` otherwise."""
    found = sha256(raw)
    if found != row.sha256:
        raise InputError(
            f"dataset {row.name}: the raw bytes of {row.locator} have SHA-256 {found}, but the suite says "
            f"{row.sha256}; if you changed the file on purpose, write the new checksum into the suite."
        )
    return raw
