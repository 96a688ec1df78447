"""Everything out of Wellkept in plain files, and back into an empty home."""
