"""What the routines do, as pure steps; when they run is the flows' affair."""
