"""How well recall finds the right note, and how well it keeps quiet."""
