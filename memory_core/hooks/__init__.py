"""Short processes that clients run; standard library only."""
