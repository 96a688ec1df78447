"""General commands: what everybody runs all day, and therefore is no procedure.

Looking around, the edit-test loop, version control's daily verbs. They may stand between
the steps of a procedure; they never make one.
"""

from __future__ import annotations

import re

_PROGRAMS = """
    ls cd cat less more head tail grep egrep rg ag find fd tree pwd echo printf sed awk cut sort
    uniq wc tr tee xargs diff cmp file stat du df free top htop ps kill pkill which whereis type env
    export set source history man touch mkdir rm cp mv ln chmod chown sleep date true false test jq
    yq curl wget ping ssh nano vim vi emacs open clear exit read return wait id whoami uname
    hostname uptime journalctl dmesg pytest tox nox jest vitest mocha mypy ruff black isort flake8
    pylint pyright basedpyright eslint prettier tsc node deno bun python python3 ruby rspec phpunit
    php perl gofmt golangci-lint rustfmt clang-format clang-tidy shellcheck shfmt pre-commit ctest
    cmake ninja gcc g++ clang javac java codespell ipython irb sqlite3 psql mysql redis-cli for
    while if case basename dirname realpath pip pip3 conda brew apt apt-get dnf yum pacman snap tar
    zip unzip gzip gunzip md5sum sha256sum base64 seq yes watch lsof netstat ss dig nslookup host nc
    strace gdb pgrep bash sh zsh fish tmux screen
"""
_VERBS = {
    "git": "status log diff show add commit push pull fetch checkout switch branch stash rebase"
    " merge restore reset clone config blame rev-parse remote grep reflog rm mv init ls-files"
    " describe",
    "npm pnpm yarn bunx cargo go dotnet gradle gradlew mvn make just task poetry uv rye hatch"
    " bundle rake mix sbt stack cabal zig composer": "test tests run install build check lint fmt"
    " format dev start typecheck add sync ci vet clippy mod compile clean lock get list tree exec"
    " all serve watch doc",
    "docker podman": "ps logs images inspect exec run build stats version info",
    "kubectl oc": "get describe logs top exec explain config version port-forward",
    "systemctl": "status list-timers list-units cat is-active show",
    "gh glab": "pr mr issue run auth repo api",
    "terraform tofu": "init validate fmt show output",
    "manage.py": "test shell runserver makemigrations migrate check",
}
_COMPOSE = "ps logs exec run build config images top"
_LOOP = "test tests lint fmt format typecheck help version --help --version"

PROGRAMS = frozenset(_PROGRAMS.split())
VERBS = {
    program: frozenset(verbs.split())
    for programs, verbs in _VERBS.items()
    for program in programs.split()
}
COMPOSE, LOOP = frozenset(_COMPOSE.split()), frozenset(_LOOP.split())
_OWN_TOOLS = re.compile(
    r"^(?:(?:read|edit|multi_?edit|write|create|view|open|list|ls|glob|grep|search|find|fetch|save"
    r"|replace|delete|insert|undo|move|rename|notebook|str_?replace|apply_?(?:patch|diff))(?:_?(?:in"
    r"|many|file|files|dir|directory|folder|lines?|contents?|text|code|patch|edit|read|url|page|web"
    r"|editor|based|tool|notebook|symbols?|references?))*|(?:google_)?web_?(?:search|fetch)|browser\w*"
    r"|todo_?(?:write|read|list)?|task|agent|think\w*|plan|update_plan|exit_plan_mode|ask_?\w*"
    r"|memory|skill|tool_?search|lsp|recall_memories|remember|forget_memory)$",
    re.IGNORECASE,
)
_LOOKING = re.compile(r"^(?:search|list|get|read|view|fetch|find|query|show|describe|browse)", re.I)


def is_general_command(words: tuple[str, ...]) -> bool:
    """Whether a command says nothing of its own: `words` are its program and subcommands."""
    program, rest = words[0], words[1:]
    if program in PROGRAMS or (rest and rest[-1] in LOOP):
        return True
    if program in ("docker", "podman") and rest[:1] == ("compose",):
        return len(rest) > 1 and rest[1] in COMPOSE
    return program in VERBS and (not rest or rest[0] in VERBS[program])


def is_general_tool(name: str) -> bool:
    """Whether a tool only looks, edits or keeps the agent's own books."""
    own = name.rsplit("__", 1)[-1]
    return (_LOOKING if "__" in name else _OWN_TOOLS).match(own) is not None
