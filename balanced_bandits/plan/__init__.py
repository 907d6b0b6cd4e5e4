"""Planning: everything that follows from a configuration before a run. Needs neither Snakemake nor Numba."""
