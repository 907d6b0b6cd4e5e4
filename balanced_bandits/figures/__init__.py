"""One module per figure. Figures compute nothing: they read tables and draw them."""
