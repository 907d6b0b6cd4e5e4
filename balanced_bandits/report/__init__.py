"""The report: one page with the scorecard, the figures and tables, and the explorer of datasets."""
