"""Members of archives: good ones, and archives that are broken or meant to do harm."""

import bz2
import gzip
import io
import os
import random
import stat
import tarfile
import tracemalloc
import warnings
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from registry_server import tarred, zipped

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets import members
from balanced_bandits.datasets.members import read_members

MEGABYTE = 2**20
FILES = {"x/a.csv": b"first", "x/b.csv": b"second" * 50_000, "x/c.csv": b""}


def read(name, raw, *paths):
    return read_members(name, io.BytesIO(raw), [path.split(":") for path in paths])


def refused(name, raw, *paths):
    """The sentence with which an archive is refused, in less memory than anything huge would take."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            read(name, raw, *paths)
        assert tracemalloc.get_traced_memory()[1] < 64 * MEGABYTE
    finally:
        tracemalloc.stop()
    assert str(caught.value).startswith(name)
    return str(caught.value)


def tar_of(*entries, mode="w:gz", **more):
    """A tar archive of entries (name, type, size that it states, content)."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode, **more) as archive:
        for name, kind, content in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.size, entry.linkname = kind, len(content), "/etc/passwd"
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


PACKED = [
    ("a.whl", zipped(FILES)),
    ("a.zip", zipped(FILES)),
    ("a.tar", tarred(FILES, "w")),
    ("A.TAR.GZ", tarred(FILES)),
    ("a.tar.bz2", tarred(FILES, "w:bz2")),
]


@pytest.mark.parametrize(("name", "raw"), PACKED)
def test_members_come_in_the_order_in_which_they_are_wanted(name, raw):
    wanted = ["x/c.csv", "x/a.csv", "x/b.csv", "x/a.csv"]
    assert read(name, raw, *wanted) == [FILES[path] for path in wanted]


@pytest.mark.parametrize(("name", "raw"), PACKED)
def test_archives_inside_archives(name, raw):
    name = name.lower()
    outer = tarred({"in": b"", f"deep/{name}": raw})
    assert read("o.tar.gz", outer, f"deep/{name}:x/a.csv", f"deep/{name}:x/b.csv") == [b"first", FILES["x/b.csv"]]
    assert read("p.zip", zipped({"o.tar.gz": outer}), f"o.tar.gz:deep/{name}:x/a.csv") == [b"first"]
    assert "2 deep at most" in refused("q.zip", b"", f"p.zip:o.tar.gz:deep/{name}:x/a.csv")
    assert f"o.tar.gz:deep/{name} has no member x/z.csv" in refused("o.tar.gz", outer, f"deep/{name}:x/z.csv")


def test_a_tar_archive_may_begin_its_names_with_a_dot():
    assert read("a.tar.gz", tarred({"./x/a.csv": b"first"}), "x/a.csv") == [b"first"]


@pytest.mark.parametrize(("name", "raw"), PACKED)
@pytest.mark.parametrize("path", ["x/z.csv", "x", "x/", "a.csv", "x/a.csv "])
def test_member_that_is_not_there(name, raw, path):
    assert f"{name} has no member {path}" in refused(name, raw, path)


@pytest.mark.parametrize("path", ["/x/a.csv", "../a.csv", "x/../../a.csv", "..", "x\\..\\a.csv"])
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_names_that_lead_out_of_the_archive(path, pack):
    name = "a.zip" if pack is zipped else "a.tar.gz"
    assert "would be outside of the archive" in refused(name, pack({path: b"first"}), path)


@pytest.mark.parametrize(("first", "second"), [("x/a.csv", "x/a.csv"), ("x/a.csv", "./x/a.csv")])
def test_a_name_that_occurs_twice(first, second):
    raw = tar_of((first, tarfile.REGTYPE, b"one"), ("x/b.csv", tarfile.REGTYPE, b""), (second, tarfile.REGTYPE, b"two"))
    assert "two members called x/a.csv" in refused("a.tar.gz", raw, "x/a.csv")
    assert read("a.tar.gz", raw, "x/b.csv") == [b""]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("x/a.csv", b"one")
        archive.writestr("x/a.csv", b"two")
    assert "two members called x/a.csv" in refused("a.zip", packed.getvalue(), "x/a.csv")


KINDS = [
    tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_links_devices_and_folders_of_a_tar_archive(kind):
    assert "x is not a regular file" in refused("a.tar.gz", tar_of(("x", kind, b"")), "x")


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFDIR])
def test_links_devices_and_folders_of_a_zip_archive(mode):
    entry, packed = zipfile.ZipInfo("x"), io.BytesIO()
    entry.external_attr = (mode | 0o777) << 16
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(entry, "/etc/passwd")
    assert "x is not a regular file" in refused("a.zip", packed.getvalue(), "x")


def test_encrypted_members():
    raw = bytearray(zipped({"x": b"first"}))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(signature) + offset] |= 1
    assert "x is encrypted" in refused("a.zip", bytes(raw), "x")


# Bombs


def claiming(size, content=b"", kind=tarfile.REGTYPE, name="x"):
    """A tar archive with a member that states its size, whatever follows."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.type = size, kind
    return entry.tobuf(tarfile.GNU_FORMAT) + content + bytes(10240)


@pytest.mark.parametrize("size", [members.LARGEST_MEMBER + 1, 2**60, -1])
def test_a_size_that_is_stated(size):
    assert f"x would unpack to {size} bytes, more than" in refused("a.tar", claiming(size), "x")
    assert f"x would unpack to {size} bytes, more than" in refused("a.tar", claiming(size), "y")


def test_a_size_that_is_stated_and_not_there():
    assert "a.tar" in refused("a.tar", claiming(MEGABYTE, b"first"), "x")


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE])
def test_a_header_of_many_megabytes(kind):
    raw = gzip.compress(claiming(500 * MEGABYTE, bytes(2 * MEGABYTE), kind))
    assert "larger than allowed" in refused("a.tar.gz", raw, "x")


def test_sparse_members_are_no_files():
    entry = tarfile.TarInfo("x")
    entry.type, entry.size = tarfile.GNUTYPE_SPARSE, 0
    assert "x is not a regular file" in refused("a.tar", entry.tobuf(tarfile.GNU_FORMAT) + bytes(10240), "x")


def test_headers_that_lead_back(monkeypatch):
    """A negative size in an extended header would let tarfile read the same headers forever."""
    raw = tar_of(("x", tarfile.REGTYPE, b"first"), mode="w", format=tarfile.PAX_FORMAT)
    entry = tarfile.TarInfo("y")
    entry.pax_headers = {"size": "-1536"}
    assert "a.tar" in refused("a.tar", raw[:1024] + entry.tobuf(tarfile.PAX_FORMAT) + bytes(10240), "z")
    stream = members._Forward(io.BytesIO(bytes(10_000)))
    stream.read(5000)
    assert stream.seek(4999) == 4999
    with pytest.raises(tarfile.ReadError, match="leads back"):
        stream.seek(1000)


def test_members_that_are_large_together(monkeypatch):
    monkeypatch.setattr(members, "LARGEST_ARCHIVE", 10)
    raw = tarred({"x": b"first", "y": b"second"})
    assert "would unpack to more than 10 bytes" in refused("a.tar.gz", raw, "x")


def test_members_without_end(monkeypatch):
    monkeypatch.setattr(members, "MOST_MEMBERS", 10)
    raw = tarred({f"{i}": b"" for i in range(11)})
    assert "or 10 members" in refused("a.tar.gz", raw, "0")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_zeros_without_end(compress):
    """They unpack to much more than they are, but are passed over, not kept."""
    ending = "gz" if compress is gzip.compress else "bz2"
    raw = compress(tarred({"huge": bytes(100 * MEGABYTE), "x": b"first"}, "w"))
    assert len(raw) < MEGABYTE
    tracemalloc.start()
    assert read(f"a.tar.{ending}", raw, "x") == [b"first"]
    assert tracemalloc.get_traced_memory()[1] < 16 * MEGABYTE
    tracemalloc.stop()


def test_bombs_inside_archives():
    bomb = gzip.compress(claiming(2**40))
    assert "o.zip:a.tar.gz: x would unpack to" in refused("o.zip", zipped({"a.tar.gz": bomb}), "a.tar.gz:x")


def test_a_member_of_a_zip_archive_that_is_too_large(monkeypatch):
    monkeypatch.setattr(members, "LARGEST_MEMBER", 4)
    assert "x would unpack to 5 bytes, more than the 4 allowed" in refused("a.zip", zipped({"x": b"first"}), "x")


# Broken ones


@pytest.mark.parametrize(("name", "raw"), PACKED)
def test_changed_bytes_give_the_member_or_a_sentence(name, raw):
    rng = random.Random(name)
    refusals = 0
    for _ in range(400):
        broken = bytearray(raw)
        for _ in range(rng.randrange(1, 4)):
            broken[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        if rng.random() < 0.3:
            del broken[rng.randrange(len(raw)) :]
        try:
            found = read(name, bytes(broken), "x/a.csv")
        except InputError as error:
            assert str(error).startswith(name)  # noqa: PT017
            refusals += 1
        else:
            assert len(found) == 1
    assert refusals > 20


@settings(max_examples=200, deadline=None, derandomize=True)
@given(raw=st.binary(max_size=2000), name=st.sampled_from([name for name, _ in PACKED]))
def test_random_bytes(raw, name):
    with pytest.raises(InputError, match=r"^(?i:a)"):
        read(name, raw, "x")


def test_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, raw in PACKED:
        read(name, raw, "x/a.csv")
    assert os.listdir(tmp_path) == []
