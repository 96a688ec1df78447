"""Dream: what only shows across sessions, found without a language model."""
