"""One adapter a client: its payload in, its injection format out."""
