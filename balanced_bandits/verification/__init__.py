"""Published results: which files they are, and whether results of one's own agree with them."""
