"""`wellkept review`: a person reads what the routines offer and decides it, item by item."""
