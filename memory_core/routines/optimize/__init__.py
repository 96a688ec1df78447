"""Optimize: what of memory costs more than it brings, and how that is known."""
