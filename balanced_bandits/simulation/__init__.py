"""Whole runs: compiled kernels, random streams, and the records they leave."""
