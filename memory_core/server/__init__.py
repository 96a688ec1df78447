"""The warm process that holds models and index, and its clients."""
