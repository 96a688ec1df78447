"""Short processes that an agent's client starts at its events; standard library only."""
