"""Exact reference models, built from the words of the papers and from none of their formulas."""
