"""The four routines as Prefect flows: when memory changes."""
