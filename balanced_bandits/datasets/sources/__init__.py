"""Sources of datasets, one module per source (``datasets.SOURCES`` is their registry)."""
