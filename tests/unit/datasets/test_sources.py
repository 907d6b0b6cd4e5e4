"""Sources of datasets that are on this machine."""

from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets

from balanced_bandits.core.errors import InputError
from balanced_bandits.datasets import SOURCES, source_of
from balanced_bandits.datasets.checksum import sha256
from balanced_bandits.datasets.prepare import check_counts
from balanced_bandits.datasets.sources.sklearn import FILES
from balanced_bandits.datasets.suite import Row, read_suite

ROOT = Path(__file__).resolve().parents[3]
DATA = b"a,class\n1,u\n2,v\n"


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
    rows = read_suite(ROOT / "workflow/suites/registry300.tsv").values()
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


def test_every_source_is_tested_here_or_in_a_file_of_its_own():
    assert set(SOURCES) == {"sklearn", "archive", "file", "openml"}
