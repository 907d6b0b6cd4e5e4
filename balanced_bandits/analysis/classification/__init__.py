"""The experiment on datasets: collected runs, pairwise comparisons, claims, standings, Table 2."""
