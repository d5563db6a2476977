"""Here, and not in tests/, so that the cells of notebooks/ are guarded however pytest is called."""

pytest_plugins = ["notebook_guard"]
