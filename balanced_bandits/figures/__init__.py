"""Figures, a module each. A figure never computes: it reads a table and draws it."""
