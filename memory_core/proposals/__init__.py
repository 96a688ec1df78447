"""Numbered changes that a routine offers and a person decides; applied exactly once."""
