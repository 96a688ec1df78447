"""Questions whose right note is known, and what a run over them scored."""
