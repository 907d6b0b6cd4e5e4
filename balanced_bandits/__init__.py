"""Balanced linear contextual bandits (Dimakopoulou, Zhou, Athey, Imbens; AAAI 2019)."""

__version__ = "0.1.0"
