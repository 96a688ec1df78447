"""One table in a TOML text that may hold anything else."""

from __future__ import annotations

import pytest

from memory_core.errors import SettingsError
from memory_core.installers import toml_text

PATH = ("mcp_servers", "wellkept")
HEAD = "[mcp_servers.wellkept]\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{HEAD}since = [1979-05-27]\n", "cannot be written again"),
        (f"a = {'9' * 5000}\n", "too many digits"),
        ("[" * 99_999, "nested too deeply|Invalid|Expected"),
        ("mcp_servers = 1\n", "is no table"),
    ],
)
def test_a_text_that_cannot_take_the_table_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        toml_text.put(text, PATH, {"command": "wellkept"})
