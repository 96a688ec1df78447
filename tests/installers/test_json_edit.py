"""An edit of a JSON text changes one thing: whatever the text, nothing else moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.errors import SettingsError
from memory_core.installers import json_edit
from memory_core.installers.json_text import JsonText

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)
LAYOUTS = st.sampled_from([
    {"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"indent": None},
    {"indent": None, "separators": (",", ":")}, {"indent": 1, "ensure_ascii": False},
])  # fmt: skip


def written(document: Any, layout: dict[str, Any], line_end: str) -> str:
    return json.dumps(document, **layout).replace("\n", line_end)


@settings(deadline=None)
@given(OBJECTS, VALUES, LAYOUTS, st.sampled_from(["\n", "\r\n"]), st.text())
def test_what_is_put_in_comes_out_and_the_text_is_the_old_one(
    document: dict[str, Any], value: Any, layout: dict[str, Any], line_end: str, name: str
) -> None:
    text = written(document, layout, line_end)
    if name in document or not name:
        return
    read = JsonText(text)
    changed = json_edit.put(read, read.root, value, name)
    assert json.loads(changed) == {**document, name: value}
    again = JsonText(changed)
    index = len(again.entries(again.root)) - 1
    assert json_edit.take(again, again.root, index) == text


@settings(deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=4), LAYOUTS, st.data())
def test_taking_one_item_leaves_the_others(
    items: list[Any], layout: dict[str, Any], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(items) - 1))
    read = JsonText(written(items, layout, "\n"))
    left = json_edit.take(read, read.root, index)
    assert json.loads(left) == items[:index] + items[index + 1 :]


@settings(deadline=None)
@given(OBJECTS.filter(bool), VALUES, LAYOUTS, st.data())
def test_replacing_a_value_keeps_names_and_order(
    document: dict[str, Any], value: Any, layout: dict[str, Any], data: st.DataObject
) -> None:
    name = data.draw(st.sampled_from(sorted(document)))
    read = JsonText(written(document, layout, "\n"))
    entry = read.member(read.root, name)
    assert entry
    changed = json.loads(json_edit.replace(read, entry, value))
    assert changed == {**document, name: value} and list(changed) == list(document)


COMMENTED = """{
  // first
  "a": 1, /* "b": 2, */
  "c": [1, 2,], // last "of" all
  // end
}
"""


def test_comments_and_last_commas_stay_where_they_are() -> None:
    read = JsonText(COMMENTED, comments=True)
    changed = json_edit.put(read, read.root, True, "d")
    assert changed == COMMENTED.replace("  // end\n", '  // end\n  "d": true,\n')
    again = JsonText(changed, comments=True)
    assert json_edit.take(again, again.root, 2) == COMMENTED
    without_c = json_edit.take(read, read.root, 1)
    assert JsonText(without_c, comments=True).document == {"a": 1}
    assert '"b": 2' in without_c and 'last "of" all' in without_c and "// end" in without_c


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"), ("{", "line 1"), ('{"a": 1}\n{"b": 2}', "line 2"), ('{"a": 1,}', "line 1"),
        ("// x\n{}", "line 1"), ("[" * 99_999, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "too many digits"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_json_is_refused_with_the_place(text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        JsonText(text)
