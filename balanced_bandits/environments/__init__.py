"""What bandits play: a classification dataset with bandit feedback, and the paper's synthetic example."""
