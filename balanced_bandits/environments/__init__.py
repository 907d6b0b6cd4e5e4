"""The environments: classification datasets with bandit feedback, and the paper's synthetic example."""
