"""What the paper says of its computational results: every number and ordering that ours are held against."""

# Table 1: in what percentage of simulations the optimal assignment is found, by specification and bandit. How many
# simulations there were is not said.
PAPER_PERCENT = {
    ("well", "LinTS"): 84, ("well", "LinUCB"): 51, ("well", "BLTS"): 92, ("well", "BLUCB"): 79,
    ("mis", "LinTS"): 39, ("mis", "LinUCB"): 29, ("mis", "BLTS"): 58, ("mis", "BLUCB"): 30,
}  # fmt: skip

# Of this pair of Table 1, which one point separates, the text says that the former is no better.
NO_BETTER = ("mis", "BLUCB", "LinUCB")

# Section 4.1, in the text: after how many observations a bandit finds it, in the simulation of Figures 2 and 3.
PAPER_ROUNDS = {("well", "LinUCB"): 240, ("well", "BLUCB"): 110, ("mis", "BLTS"): 20}

# Section 4.1, in the text: specification, the bandit that finds it sooner, the one that finds it later. LinTS does so
# "within the first few learning observations", and of BLTS it says "a few observations earlier than LinTS".
SOONER = [("well", "LinTS", "LinUCB"), ("well", "BLUCB", "LinUCB"), ("well", "BLTS", "LinTS")]

# Section 4.2, on Figure 4: the better bandit, the worse one. That LinTS is better than LinUCB is said where section 4
# begins.
CLAIMS = [
    ("BLTS", "LinTS"),
    ("BLTS", "LinUCB"),
    ("BLTS", "BLUCB"),
    ("BLTS", "ILTCB"),
    ("BLUCB", "LinUCB"),
    ("LinTS", "BLUCB"),
    ("LinTS", "LinUCB"),
]

# Sections 4.1 and 4.2: the bandit that is best of all.
BEST = "BLTS"

# Table 2. Column of datasets.csv, its heading, and for each stratum: what is above this, up to that, how many datasets.
SIZES = {
    "n": ("Observations", [(0, 100, 58), (100, 1000, 152), (1000, 10000, 57), (10000, None, 33)]),
    "K": ("Classes", [(0, 2, 243), (2, 10, 48), (10, None, 9)]),
    "d": ("Features", [(0, 10, 154), (10, 100, 106), (100, None, 40)]),
}
DATASETS = 300
