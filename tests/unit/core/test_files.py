"""Files that are whole or not there, and arrays that come back or are refused."""

import io
import json
import os
import pickle
import re
import stat
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import read_arrays, whole_file, write_arrays, write_bytes, write_text

ARRAYS = {"X": np.random.default_rng(0).standard_normal((50, 3)), "y": np.arange(50)}
RECORD = {"name": "größe", "rejected": None, "n": 50}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_whole_file_appears_under_its_name_only(tmp_path):
    path = tmp_path / "new folder" / "a.txt"
    with whole_file(path) as temporary:
        temporary.write_text("new")
        assert temporary.parent == path.parent
        assert temporary.suffix == ".txt"
        assert not path.exists()
    assert path.read_text() == "new"
    assert names(path.parent) == ["a.txt"]


class InterruptError(BaseException):
    """Stands for a KeyboardInterrupt."""


@pytest.mark.parametrize("error", [RuntimeError, InterruptError])
@pytest.mark.parametrize("old", [None, "old"])
def test_whole_file_leaves_nothing_after_an_exception(tmp_path, old, error):
    path = tmp_path / "a.txt"
    if old:
        path.write_text(old)
    with pytest.raises(error), whole_file(path) as temporary:  # noqa: PT012
        temporary.write_text("half of the n")
        raise error
    assert names(tmp_path) == (["a.txt"] if old else [])
    assert not old or path.read_text() == old


def test_what_a_killed_writer_left_is_swept_away_by_the_next(tmp_path):
    path, other = tmp_path / "a[1].b.txt", tmp_path / "a[1].txt"
    code = "import os, sys; from pathlib import Path; from balanced_bandits.core.files import whole_file\n"
    code += (
        "for name in sys.argv[1:]:\n    whole_file(Path(name)).__enter__().write_text('half')\nos.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", code, path, other], check=False).returncode == -9
    assert len(names(tmp_path)) == 2
    write_text(path, "new")
    left = names(tmp_path)
    assert len(left) == 2
    assert "a[1].b.txt" in left
    assert any(name.startswith(".a[1].") and ".b." not in name for name in left)  # the other file's is not touched
    write_text(other, "new")
    assert names(tmp_path) == ["a[1].b.txt", "a[1].txt"]


def test_whole_file_takes_the_place_of_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "a long old text")
    with path.open(encoding="utf-8") as reader:
        write_text(path, "ä")
        assert reader.read() == "a long old text"
    assert path.read_bytes() == "ä".encode()


def test_whole_file_has_the_usual_permissions(tmp_path):
    old = os.umask(0o027)
    try:
        write_bytes(tmp_path / "a", b"x")
    finally:
        assert os.umask(old) == 0o027
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_arrays_come_back(tmp_path):
    path = tmp_path / "a.npz"
    write_arrays(path, RECORD, **ARRAYS)
    record, arrays = read_arrays(path)
    assert record == RECORD
    assert arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].dtype == array.dtype
    assert names(tmp_path) == ["a.npz"]


def test_same_arrays_give_the_same_bytes(tmp_path):
    write_arrays(tmp_path / "a.npz", RECORD, **ARRAYS)
    write_arrays(tmp_path / "b.npz", dict(reversed(RECORD.items())), **ARRAYS)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_objects_are_not_written(tmp_path):
    with pytest.raises(ValueError, match="allow_pickle=False"):
        write_arrays(tmp_path / "a.npz", RECORD, X=np.array([object()]))
    assert names(tmp_path) == []


def refused(path) -> None:
    with pytest.raises(InputError, match=rf"^{re.escape(str(path))} can't be read \(.*\); delete it and run again"):
        read_arrays(path)


def single(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize("content", [b"", b"garbage", pickle.dumps([1, 2]), single(np.arange(3))])
def test_what_is_no_npz_is_refused(tmp_path, content):
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    refused(path)


def test_npz_of_objects_is_refused_and_not_unpickled(tmp_path):
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    np.savez(tmp_path / "a.npz", record=np.array(json.dumps(RECORD)), X=np.array([Trap()], dtype=object))
    refused(tmp_path / "a.npz")
    assert names(tmp_path) == ["a.npz"]


@pytest.mark.parametrize("record", [{}, {"record": np.array("{not json")}, {"record": np.arange(3)}])
def test_npz_without_a_record_is_refused(tmp_path, record):
    np.savez(tmp_path / "a.npz", X=np.arange(3), **record)
    refused(tmp_path / "a.npz")


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"absent\.npz does not exist; run the step"):
        read_arrays(tmp_path / "absent.npz")


def test_truncated_npz_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    write_arrays(path, RECORD, **ARRAYS)
    whole = path.read_bytes()
    for length in np.linspace(1, len(whole) - 1, 50).astype(int):
        path.write_bytes(whole[:length])
        refused(path)


def test_flipped_bits_are_refused_or_harmless(tmp_path):
    path = tmp_path / "a.npz"
    write_arrays(path, RECORD, **ARRAYS)
    whole = path.read_bytes()
    refusals = 0
    for at in np.linspace(0, len(whole) - 1, 150).astype(int):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << (at % 8))]) + whole[at + 1 :])
        try:
            record, arrays = read_arrays(path)
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017
            refusals += 1
        else:  # a date, or a length in the directory that hides an array; never other numbers
            assert record == RECORD
            assert all(np.array_equal(array, ARRAYS[name]) for name, array in arrays.items())
    assert refusals > 100


def test_the_sweep_leaves_alone_a_writer_that_is_at_work(tmp_path):
    """Such as a job that outlived its run, beside the same job of the next run."""
    path = tmp_path / "a.txt"
    with whole_file(path) as slow:
        slow.write_text("slow")
        write_text(path, "fast")
        assert path.read_text() == "fast"
        assert slow.read_text() == "slow"
    assert path.read_text() == "slow"
    assert names(tmp_path) == ["a.txt"]


WRITERS = {
    "a.npz": "write_arrays(path, {}, X=np.random.default_rng(0).random(9999))",
    "a.txt": "write_text(path, 'x' * 9999)",
    "a.csv": "with whole_file(path) as temporary: table.to_csv(temporary)",
    "a.parquet": "with whole_file(path) as temporary: table.to_parquet(temporary)",
}


def test_what_does_not_fit_on_the_disk_is_named_and_nothing_is_left(tmp_path):
    code = [
        "import resource, sys, numpy as np, pandas as pd",
        "from pathlib import Path",
        "from balanced_bandits.core.files import InputError, whole_file, write_arrays, write_text",
        "table = pd.DataFrame({'u': np.random.default_rng(0).random(9999)})",
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))",
    ]
    for name, call in WRITERS.items():
        code += [f"path = Path({str(tmp_path / name)!r})", "try:", f"    {call}", "except InputError as error:"]
        code += ["    print(error)"]
    done = subprocess.run([sys.executable, "-c", "\n".join(code)], capture_output=True, text=True, check=False)
    expected = [
        f"{tmp_path / name} can't be written (File too large); free some space or fix the permissions, and run again."
        for name in WRITERS
    ]
    assert done.stdout.splitlines() == expected, done.stderr
    assert names(tmp_path) == []


def test_a_folder_that_can_not_be_made_is_named(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(InputError, match=r"a\.txt can't be written \(Permission denied\); free some space or fix the"):
        write_text(tmp_path / "a.txt", "x")


def test_other_errors_stay_what_they_are(tmp_path):
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "a.txt"):
        (tmp_path / "absent").read_text()
