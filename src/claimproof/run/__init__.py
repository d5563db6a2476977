"""Running derivations: records, notebooks, exports."""
