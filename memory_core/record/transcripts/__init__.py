"""Readers of transcripts, one a format: rows in, events out."""
