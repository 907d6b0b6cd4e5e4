"""The simulation jobs: whole runs of a bandit, and the results they write."""
