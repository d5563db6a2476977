"""Here, and not in tests/, so that the cells of notebooks/ are guarded however pytest is called."""

pytest_plugins = ["claimproof.pytest_plugin"]
