"""The synthetic example: Table 1, its orderings and curves, and the sensitivity atlas."""
