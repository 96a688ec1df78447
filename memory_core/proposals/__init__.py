"""Propose, decide, apply once, remember, undo."""
