"""From verified claims to functions that people run."""
