"""Options of the project's own tests; here, and not in tests/, so that they are known however pytest is called."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every-binding", action="store_true", help="falsify the statement of every bound claim, not of a sample"
    )
