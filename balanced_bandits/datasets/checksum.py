"""Checksums of raw bytes and of data."""

import hashlib
import json
from typing import Any

from balanced_bandits.datasets.suite import Row
from balanced_bandits.errors import InputError


def sha256(raw: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(raw).hexdigest()


def digest(value: Any) -> str:
    """SHA-256 of a value that JSON can hold, whatever the order of its keys."""
    return sha256(json.dumps(value, sort_keys=True).encode())


def checked(row: Row, raw: bytes) -> bytes:
    """``raw`` itself, if it is what the suite's row was written for."""
    found = sha256(raw)
    if found != row.sha256:
        raise InputError(
            f"dataset {row.name}: the raw bytes of {row.locator} have SHA-256 {found}, but the suite says "
            f"{row.sha256}; if the file was changed on purpose, put the new checksum into the suite."
        )
    return raw
