"""Three capped banks of memories that the agent writes itself."""
