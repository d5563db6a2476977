"""What a derivation speaks to: a paper, its claims and the checks on them."""
