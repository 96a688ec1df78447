"""The language model's only door: a prompt and a schema in, a checked reply out.

`complete` redacts and frames what goes out, refuses what a budget does not hold, keeps
one row a call and raises errors of the tree. `room` says how much a request may hold,
`cost` what a run has spent, `vendor` who makes a model, `panel` which two others object to
what is drafted. litellm is loaded by the first call, not by the import.
"""

from memory_core.llm.budget import cost
from memory_core.llm.call import Complete, complete, ready, room
from memory_core.llm.panelist import Panelist, panel
from memory_core.llm.vendor import vendor

__all__ = ["Complete", "Panelist", "complete", "cost", "panel", "ready", "room", "vendor"]
