"""Datasets from the real registry: fetched, read, counted, encoded; and the suites that list them."""

import numpy as np
import pytest
from conftest import ROOT

from balanced_bandits.analysis.paper import PAPER_SIZES
from balanced_bandits.core.files import read_arrays
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.prepare import prepare
from balanced_bandits.datasets.suite import read_suite
from balanced_bandits.vocabulary import QUANTITIES

SUITES = ROOT / "workflow/suites"


def margins(rows):
    """The number of rows in each stratum of n, K and d."""
    return {
        quantity: np.bincount(
            np.searchsorted(QUANTITIES[quantity].ends, [getattr(row, quantity) for row in rows]), minlength=len(counts)
        ).tolist()
        for quantity, counts in PAPER_SIZES.items()
    }


def test_registry300_has_the_margins_of_the_papers_table_2():
    rows = read_suite(SUITES / "registry300.tsv").values()
    assert margins(rows) == PAPER_SIZES


def test_registry60_is_a_sample_of_registry300_with_the_same_proportions():
    lines = (SUITES / "registry300.tsv").read_text().splitlines()
    sample = (SUITES / "registry60.tsv").read_text().splitlines()
    assert [line for line in lines if line in set(sample)] == sample
    assert len(sample) == 1 + 60
    for quantity, counts in margins(read_suite(SUITES / "registry60.tsv").values()).items():
        assert np.abs(np.array(counts) - np.array(PAPER_SIZES[quantity]) / 5).max() < 1


@pytest.mark.system
def test_every_dataset_of_the_default_suite_is_what_its_row_says(tmp_path):
    fingerprints = {}
    for row in read_suite(SUITES / "registry60.tsv").values():
        raw = tmp_path / "raw"
        raw.write_bytes(source_of(row).fetch(row, SUITES, tmp_path / "archives"))
        prepare(row, raw, tmp_path / "data.npz")  # raises where n, d or K differ
        record, arrays = read_arrays(tmp_path / "data.npz")
        assert record["rejected"] is None, row.name
        X, y = arrays["X"], arrays["y"]
        assert record["encoding"]["encoded_columns"] == row.columns, row.name
        assert X.shape[0] == len(y) == row.n
        assert np.isfinite(X).all(), row.name
        assert sorted(set(y)) == list(range(row.K)), row.name
        # Two names for one dataset would have the same class sizes and the same spread of rows around the mean.
        norms = tuple(np.sort((X**2).sum(axis=1).round(6)))
        fingerprint = (tuple(np.sort(np.bincount(y))), norms)
        assert fingerprint not in fingerprints, (row.name, fingerprints.get(fingerprint))
        fingerprints[fingerprint] = row.name
    assert len(fingerprints) == 60
