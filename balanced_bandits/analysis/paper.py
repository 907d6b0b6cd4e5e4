"""The paper's computational results: every number and ordering that ours are compared with."""

# Table 1: percentage of simulations in which the optimal assignment is found, by specification and bandit. The paper
# does not state the number of simulations.
PAPER_PERCENT = {
    ("well", "LinTS"): 84, ("well", "LinUCB"): 51, ("well", "BLTS"): 92, ("well", "BLUCB"): 79,
    ("mis", "LinTS"): 39, ("mis", "LinUCB"): 29, ("mis", "BLTS"): 58, ("mis", "BLUCB"): 30,
}  # fmt: skip

# The text says that the first bandit of this pair is no better than the second; in Table 1 they differ by one point.
NO_BETTER = ("mis", "BLUCB", "LinUCB")

# Section 4.1, in the text: number of observations until a bandit finds it, in the simulation of Figures 2 and 3.
PAPER_ROUNDS = {("well", "LinUCB"): 240, ("well", "BLUCB"): 110, ("mis", "BLTS"): 20}

# Section 4.1, in the text: specification, the bandit that finds it sooner, the one that finds it later. LinTS finds it
# "within the first few learning observations", BLTS "a few observations earlier than LinTS".
SOONER = [("well", "LinTS", "LinUCB"), ("well", "BLUCB", "LinUCB"), ("well", "BLTS", "LinTS")]

# Section 4.2, on Figure 4: the better bandit, the worse one. The claim that LinTS is better than LinUCB is at the
# beginning of section 4.
CLAIMS = [
    ("BLTS", "LinTS"),
    ("BLTS", "LinUCB"),
    ("BLTS", "BLUCB"),
    ("BLTS", "ILTCB"),
    ("BLUCB", "LinUCB"),
    ("LinTS", "BLUCB"),
    ("LinTS", "LinUCB"),
]

# Sections 4.1 and 4.2: the best bandit overall.
BEST = "BLTS"

# Table 2: number of datasets in each stratum of observations, classes and features (``vocabulary.QUANTITIES``).
PAPER_SIZES = {"n": [58, 152, 57, 33], "K": [243, 48, 9], "d": [154, 106, 40]}
DATASETS = 300
