"""What people already have, read as proposals."""
