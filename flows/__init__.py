"""When memory changes: the routines as Prefect flows."""
