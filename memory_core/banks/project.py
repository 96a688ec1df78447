"""Which project a folder belongs to: the scope of its memories, and the context there.

The normalized origin, else a random id kept in git's common directory as `wellkept-id`,
else the folder's real path. Worktrees, subfolders, symlinks, renamed folders and second
clones are one project; credentials never become part of it.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from memory_core.banks.context import Context
from memory_core.banks.git_folder import GitFolder, git_folder
from memory_core.banks.memory import EntityRef, Tag
from memory_core.banks.rules import Rules
from memory_core.banks.slug import slug
from memory_core.errors import BadInput

_LONGEST = 300  # characters of a scope; a longer one keeps its end and gets a digest
_HOPS = 5  # local origins that are followed
_SCP = re.compile(r"^(?:[^@/]+@)?(\[[0-9a-fA-F:]+\]|[^:/@]+):(?!//)(.+)$")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_FOLDING_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}


def scope_of(folder: Path | str) -> str:
    """The scope of a folder, which need not exist; at most 300 characters.

    Raises `BadInput` for a path that no file system takes.
    """
    real = _real(folder)
    repository = git_folder(real)
    return _short(_scope_of_repository(repository) if repository else str(real))


def context_at(
    rules: Rules,
    user: str,
    folder: Path | str,
    *,
    scope: str | None = None,
    refs: Sequence[str] = (),
    tags: Sequence[str] = (),
) -> Context:
    """The context of work in a folder; `refs` are `type:id`, `tags` are `kind:id`.

    Unless a scope is named, the checked-out branch is a reference where the reference
    types know branches. Raises `BadInput` or `UnknownId`.
    """
    given, meant = located(refs, tags)
    found = list(given)
    if scope is None and "branch" in rules.reference_types:
        repository = git_folder(_real(folder))
        if repository and repository.branch and not any(ref.type == "branch" for ref in found):
            found.append(EntityRef("branch", repository.branch))
    here = scope if scope is not None else scope_of(folder)
    context = Context(user, here, tuple(found), meant)
    rules.check_context(context)
    return context


def located(
    refs: Sequence[str], tags: Sequence[str]
) -> tuple[tuple[EntityRef, ...], tuple[Tag, ...]]:
    """References and tags written as `type:id` and `kind:id`.

    Raises `BadInput` for one without both halves.
    """
    return (
        tuple(EntityRef(*_pair(ref, "type")) for ref in refs),
        tuple(Tag(*_pair(tag, "kind")) for tag in tags),
    )


def scope_named(text: str) -> str:
    """The scope that a person means: an existing folder's, or the text itself."""
    return scope_of(text) if "\0" not in text and Path(text).expanduser().is_dir() else text


def normalized_origin(url: str) -> str | None:
    """`host/owner/name` of a remote URL; None for a path on this machine.

    Scheme, credentials, default port, query and `.git` go; the host is lower-case, and so
    is the path on hosts that ignore its case.
    """
    if "://" in url:
        host, path = _of_url(url)
    elif (match := _SCP.match(url)) and not _DRIVE.match(url):
        host, path = match[1].lower(), match[2]
    else:
        return None
    path = unquote(path).strip("/").removesuffix(".git").strip("/")
    if host in _FOLDING_HOSTS:
        path = path.lower()
    return f"{host}/{path}" if host and path else None


def _of_url(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return "", ""
    if parts.scheme == "file":
        return "", ""
    if port and port != _DEFAULT_PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    return host, parts.path


def _scope_of_repository(repository: GitFolder) -> str:
    for _ in range(_HOPS):
        if scope := normalized_origin(repository.origin):
            return scope
        source = repository.local_origin() if repository.origin else None
        if source is None:
            break
        repository = source
    try:
        label = slug(repository.name)[:40].strip("-")
    except BadInput:
        label = "project"
    return repository.kept_id(label) or str(repository.common)


def _real(folder: Path | str) -> Path:
    if "\0" in str(folder):
        raise BadInput("the folder's path holds a NUL", remedy="name an existing folder")
    return Path(os.path.realpath(Path(folder).expanduser()))


def _pair(text: str, first: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not (name and colon and value):
        raise BadInput(f"{text!r} is not {first}:id", remedy=f"write it as {first}:id")
    return name, value


def _short(scope: str) -> str:
    scope = unicodedata.normalize("NFC", scope)
    if len(scope) <= _LONGEST:
        return scope
    digest = hashlib.sha256(scope.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{digest}…{scope[-200:]}"
