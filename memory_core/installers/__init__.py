"""Puts Wellkept into a client's own configuration and takes it out again.

Knows files and formats, nothing of memory: a `Part` is one file and what is ours in it.
"""
