"""Where Wellkept runs: the supervisor, service units, client plugins."""
