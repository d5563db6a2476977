"""What a notebook shows beside a check's line: the statement that was taken from the inventory, typeset."""

from __future__ import annotations

import sys


def show_statement(latex: str) -> None:
    """In a kernel only. As plain text it is the LaTeX of our own printer, so that nbval compares it to the letter."""
    if "ipykernel" in sys.modules:
        from IPython.display import display

        display({"text/latex": f"$\\displaystyle {latex}$", "text/plain": latex}, raw=True)
