"""Importers: what other tools remembered, read into pieces and offered as a proposal."""
