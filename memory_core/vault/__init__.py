"""Notes as files: parse, split, watch."""
