"""Foundations: every other subpackage may import this one; it imports none of them."""
