"""One project is one scope, however its folder is reached; credentials never enter it."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_core.banks.project import context_at, located, normalized_origin, scope_of
from memory_core.banks.rules import Rules
from memory_core.errors import BadInput

WHO = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *WHO, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "first")
    return folder


@pytest.mark.parametrize(
    "url",
    ["https://github.com/Acme/Shop.git", "https://ada:s3cret@github.com/acme/shop",
     "git@github.com:acme/shop.git", "ssh://git@github.com:22/acme/shop.git/",
     "https://GITHUB.com:443/acme/shop?x=y", "github.com:acme/shop", "git://github.com/acme/shop"],
)  # fmt: skip
def test_every_spelling_of_an_origin_is_one_scope(url: str) -> None:
    assert normalized_origin(url) == "github.com/acme/shop"


@pytest.mark.parametrize(
    ("url", "scope"),
    [("https://git.corp:8443/Team/Repo.git", "git.corp:8443/Team/Repo"),
     ("https://dev.azure.com/org/My%20Project/_git/repo", "dev.azure.com/org/My Project/_git/repo"),
     ("/srv/git/shop.git", None), ("../shop", None), ("file:///srv/shop", None),
     ("C:\\git\\shop", None), ("", None), ("https://", None)],
)  # fmt: skip
def test_other_hosts_keep_port_and_case_and_paths_are_no_origin(
    url: str, scope: str | None
) -> None:
    assert normalized_origin(url) == scope


def test_credentials_are_never_part_of_a_scope(repository: Path) -> None:
    git(repository, "remote", "add", "origin", "https://ada:ghp_secret@git.corp/team/repo.git")
    assert scope_of(repository) == "git.corp/team/repo"


def test_worktree_subfolder_symlink_rename_and_clone_are_one_project(
    repository: Path, tmp_path: Path
) -> None:
    scope = scope_of(repository)
    git(repository, "worktree", "add", str(tmp_path / "tree"), "-b", "side")
    (tmp_path / "link").symlink_to(repository / "src")
    git(tmp_path, "clone", str(repository), "clone")
    git(tmp_path, "clone", "clone", "clone-of-clone")
    places = ("shop/src", "tree", "link", "clone", "clone-of-clone")
    assert {scope_of(tmp_path / place) for place in places} == {scope}
    repository.rename(tmp_path / "renamed")
    assert scope_of(tmp_path / "renamed" / "src") == scope


def test_clones_of_one_bare_repository_are_one_project(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--bare", str(repository), "hub.git")
    git(tmp_path, "-C", "hub.git", "remote", "remove", "origin")
    git(tmp_path, "clone", "hub.git", "one")
    git(tmp_path, "clone", f"file://{tmp_path}/hub.git", "two")
    assert (
        scope_of(tmp_path / "one") == scope_of(tmp_path / "two") == scope_of(tmp_path / "hub.git")
    )
    assert scope_of(tmp_path / "one") != scope_of(repository)


def test_a_clone_follows_the_origin_of_what_it_was_cloned_from(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "remote", "add", "origin", "git@github.com:acme/shop.git")
    git(tmp_path, "clone", str(repository), "clone")
    assert scope_of(tmp_path / "clone") == "github.com/acme/shop"


def test_two_repositories_of_one_name_are_two_projects(tmp_path: Path) -> None:
    for place in ("a/shop", "b/shop"):
        (tmp_path / place).mkdir(parents=True)
        git(tmp_path / place, "init")
    assert scope_of(tmp_path / "a/shop") != scope_of(tmp_path / "b/shop")


def test_the_random_id_is_made_once(repository: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        scopes = set(pool.map(scope_of, [repository] * 40))
    assert len(scopes) == 1
    assert scopes.pop().startswith("shop-")
    left = [file.name for file in (repository / ".git").iterdir() if "wellkept" in file.name]
    assert left == ["wellkept-id"]


def test_a_submodule_is_a_project_of_its_own(repository: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    git(library, "init")
    git(library, "commit", "--allow-empty", "-m", "x")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", str(library), "lib")
    assert scope_of(repository / "lib") == scope_of(library) != scope_of(repository)


def test_outside_git_the_real_path_is_the_scope(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (tmp_path / "alias").symlink_to(folder)
    assert scope_of(tmp_path / "alias") == str(folder.resolve())
    assert scope_of(tmp_path / "gone" / "away") == str((tmp_path / "gone/away").resolve())


def test_odd_folders_never_raise_anything_else(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a" * 90] * 5)
    assert len(scope_of(deep)) <= 300
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / ".git").write_text("gitdir: /nowhere/at/all")
    assert scope_of(tmp_path / "broken").endswith("broken")
    (tmp_path / "colon:dir").mkdir()
    assert scope_of(tmp_path / "colon:dir").endswith("colon:dir")
    with pytest.raises(BadInput, match="NUL"):
        scope_of("a\0b")


def test_a_config_with_comments_quotes_and_other_remotes_is_read(repository: Path) -> None:
    config = repository / ".git" / "config"
    config.write_text(
        '[core]\n\tbare = false\n[remote "fork"]\n\turl = https://github.com/me/shop\n'
        '[Remote "origin"]\n\t# url = x\n\tURL = "https://github.com/acme/shop" ; main\n'
    )
    assert scope_of(repository) == "github.com/acme/shop"


def test_the_branch_is_a_reference_of_the_context(repository: Path, tmp_path: Path) -> None:
    here = context_at(Rules(), "ada", repository)
    assert list(map(str, here.refs)) == ["branch:main"]
    named = context_at(Rules(), "ada", repository, refs=["branch:other", "item:a:b"])
    assert list(map(str, named.refs)) == ["branch:other", "item:a:b"]
    assert context_at(Rules(), "ada", repository, scope="else").refs == ()
    assert context_at(Rules(reference_types=("item",)), "ada", repository).refs == ()
    git(repository, "checkout", "--detach")
    assert context_at(Rules(), "ada", repository).refs == ()


@pytest.mark.parametrize("text", ["item", "item:", ":x", ""])
def test_half_a_reference_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="type:id"):
        located([text], [])
