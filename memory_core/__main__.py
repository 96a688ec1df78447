"""`python -m memory_core`: the command line, where the console script is not on the path."""

from memory_core.cli import main

main()
