"""Estimation of each arm's reward model."""
