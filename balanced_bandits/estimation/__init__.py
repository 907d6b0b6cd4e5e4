"""Estimation of each arm's reward model and of propensities."""
