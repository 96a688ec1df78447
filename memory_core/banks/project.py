"""Which project a folder belongs to: the scope of its memories.

The normalized origin, else a random id kept in git's common directory as `wellkept-id`,
else the folder's real path. Worktrees, subfolders, symlinks, renamed folders and second
clones are one project; credentials never become part of it. The files are read
directly, so no process is started and nothing can hang.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import unicodedata
from pathlib import Path
from urllib.parse import unquote, urlsplit

from memory_core.banks.slug import slug
from memory_core.errors import BadInput

ID_FILE = "wellkept-id"
_LONGEST = 300  # characters of a scope; a longer path keeps its end and gets a digest
_HOPS = 5  # local origins that are followed
_SCP = re.compile(r"^(?:[^@/]+@)?(\[[0-9a-fA-F:]+\]|[^:/@]+):(?!//)(.+)$")
_REMOTE = re.compile(r'^\[\s*remote\s+"origin"\s*\]', re.IGNORECASE)
_URL = re.compile(r"^url\s*=\s*(.*)$", re.IGNORECASE)
_FOLDING_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22, "git": 9418}


def scope_of(folder: Path | str) -> str:
    """The scope of a folder, which need not exist; at most 300 characters."""
    if "\0" in str(folder):
        raise BadInput("the folder's path holds a NUL", remedy="name an existing folder")
    real = Path(os.path.realpath(Path(folder).expanduser()))
    common = git_common_folder(real)
    return _short(_scope_of_git(common) if common else str(real))


def git_common_folder(folder: Path) -> Path | None:
    """The directory that all worktrees of the folder's repository share; None outside git."""
    for place in (folder, *folder.parents):
        if _is_git_folder(place):
            return _common(place)
        found = place / ".git"
        if found.is_dir() and _is_git_folder(found):
            return _common(found)
        if found.is_file() and (target := _pointed(found, "gitdir:")) is not None:
            return _common(target)
    return None


def normalized_origin(url: str) -> str | None:
    """`host/owner/name` of a remote URL; None for a path on this machine.

    Scheme, credentials, default port, query and `.git` go; the host is lower-case, and so
    is the path on hosts that ignore its case.
    """
    if "://" in url:
        parts = urlsplit(url)
        if parts.scheme == "file":
            return None
        host, path = (parts.hostname or "").lower(), parts.path
        port = _port(url)
        if port and port != _DEFAULT_PORTS.get(parts.scheme):
            host = f"{host}:{port}"
    elif (match := _SCP.match(url)) and not re.match(r"^[A-Za-z]:[\\/]", url):
        host, path = match[1].lower(), match[2]
    else:
        return None
    path = unquote(path).strip("/").removesuffix(".git").strip("/")
    if host.split(":")[0] in _FOLDING_HOSTS:
        path = path.lower()
    return f"{host}/{path}" if host and path else None


def _port(url: str) -> int | None:
    try:
        return urlsplit(url).port
    except ValueError:
        return None


def _scope_of_git(common: Path, hops: int = _HOPS) -> str:
    origin = _origin_url(common / "config")
    if origin and (scope := normalized_origin(origin)):
        return scope
    if origin and hops and (source := _local_source(common, origin)):
        return _scope_of_git(source, hops - 1)
    return _kept_id(common)


def _local_source(common: Path, origin: str) -> Path | None:
    path = Path(unquote(urlsplit(origin).path) if "://" in origin else origin).expanduser()
    base = common.parent if common.name == ".git" else common
    source = Path(os.path.realpath(base / path))
    found = next((place for place in (source, source.with_name(source.name + ".git"))
                  if place.is_dir()), None)  # fmt: skip
    if found is None:
        return None
    for folder in (found / ".git", found):
        if _is_git_folder(folder) and _common(folder) != common:
            return _common(folder)
    return None


def _origin_url(config: Path) -> str:
    """The first `url` of the remote `origin` in a git config file; empty without one."""
    try:
        text = config.read_text("utf-8", "replace")
    except OSError:
        return ""
    inside = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            inside = bool(_REMOTE.match(line))
            line = line.partition("]")[2].strip()
        if inside and (match := _URL.match(line)):
            return _config_value(match[1])
    return ""


def _config_value(text: str) -> str:
    if text.startswith('"'):
        return text[1:].partition('"')[0]
    return re.split(r"\s[#;]", text, maxsplit=1)[0].strip()


def _kept_id(common: Path) -> str:
    """The repository's random id, made once; the path where it cannot be written."""
    file = common / ID_FILE
    if kept := _read(file):
        return kept
    name = common.parent.name if common.name == ".git" else common.name.removesuffix(".git")
    try:
        label = slug(name)[:40]
    except BadInput:
        label = "project"
    fresh = file.with_name(f"{ID_FILE}.{secrets.token_hex(4)}")
    try:
        fresh.write_text(f"{label}-{secrets.token_hex(8)}\n", "utf-8")
        try:
            os.link(fresh, file)  # the first of two processes wins
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    except OSError:
        return _read(file) or str(common)
    return _read(file)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""


def _is_git_folder(folder: Path) -> bool:
    try:
        has_head = (folder / "HEAD").is_file()
    except OSError:
        return False
    return has_head and (
        (folder / "commondir").is_file()
        or ((folder / "objects").is_dir() and (folder / "refs").is_dir())
    )


def _common(git_folder: Path) -> Path:
    text = _read(git_folder / "commondir")
    return Path(os.path.realpath(git_folder / text)) if text else git_folder


def _pointed(file: Path, prefix: str) -> Path | None:
    text = _read(file)
    if not text.startswith(prefix):
        return None
    target = Path(os.path.realpath(file.parent / text.removeprefix(prefix).strip()))
    return target if target.is_dir() else None


def _short(scope: str) -> str:
    scope = unicodedata.normalize("NFC", scope)
    if len(scope) <= _LONGEST:
        return scope
    digest = hashlib.sha256(scope.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{digest}…{scope[-200:]}"
