"""The pure steps that the flows call."""
