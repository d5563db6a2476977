"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# Deterministic, like everything else here: a failure on one machine is a failure on all.
# No deadline: a busy machine is not a bug.
settings.register_profile("crawlproof", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("crawlproof")
