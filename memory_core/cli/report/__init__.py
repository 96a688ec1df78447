"""`wellkept report`: one page that holds everything it shows."""
