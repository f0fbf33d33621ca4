"""The names of branches and tags in a clone are those that git accepts."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deadheat.repo.clone import Clone
from deadheat.repo.git import GitReader, is_valid_ref_name
from tests.repositories import Repository

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("cache")
PARTS = st.sampled_from(
    ["a", "v1", "..", ".", "/", "//", "@", "@{", "{", ".lock", "lock", "-", "~", "^", ":", "?", "*", "[", "\\", " ",
     "\x01", "\x1f", "\x7f", "\x85", "\u2028", "\u202e", "é", "\udcff", "$(x)", "`", "refs"]
)  # fmt: skip
NAMES = st.lists(PARTS, max_size=6).map("".join)


@settings(deadline=None, max_examples=150)
@given(NAMES, st.sampled_from(["refs/tags/", "refs/", ""]))
@example("../../etc/passwd", "refs/tags/")
@example("a.lock/b", "refs/heads/")
@example("a\n", "refs/heads/")
@example("@", "refs/heads/")
@example("@", "")
def test_same_names_are_valid_as_in_git(name: str, prefix: str) -> None:
    arguments: list[str | bytes] = ["git", "check-ref-format", os.fsencode(prefix + name)]
    is_valid = subprocess.run(arguments, check=False, capture_output=True).returncode == 0
    assert is_valid_ref_name(prefix + name) == is_valid


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "relay")
    made.put("begin", {"a.go": "package a\n"})
    return made


def test_refs_with_invalid_names_are_ignored_and_counted(repo: Repository) -> None:
    commit = repo.git("rev-parse", "HEAD")
    names = [
        "tags/../../etc/passwd",
        "tags/v1~2",
        "heads/a b",
        "tags/v2.",
        "tags/v1\x1b[31m",
        "tags/v3",
        "tags/v\u2028w",
    ]
    packed = "".join(f"{commit} refs/{name}\n" for name in names)
    (repo.path / ".git" / "packed-refs").write_text(f"# pack-refs with: peeled\n{packed}")
    (repo.path / ".git" / "refs" / "tags" / "v4\x7f").write_text(f"{commit}\n")
    (repo.path / ".git" / "refs" / "tags" / "v5.lock").write_text(f"{commit}\n")
    with Clone(str(repo.path)) as clone:
        assert set(clone.tags) == {"v3", "v\u2028w"}
        assert "refs with invalid names are ignored: 6" in clone.git.missing
        assert clone.resolve_revision("../../etc/passwd") is None


def test_symbolic_refs_lead_only_to_valid_names(repo: Repository) -> None:
    (repo.path / ".git" / "HEAD").write_text("ref: refs/heads/../../../outside\n")
    (repo.path / ".git" / "refs" / "heads" / "alias").write_text("ref: refs/heads/main\n")
    (repo.path / ".git" / "refs" / "heads" / "loop").write_text("ref: refs/heads/loop\n")
    with GitReader(str(repo.path)) as git:
        assert (git.head_name, git.head_commit) == ("", "")
        assert git.refs == dict.fromkeys(("refs/heads/main", "refs/heads/alias"), repo_commit(repo))


def repo_commit(repo: Repository) -> str:
    return (repo.path / ".git" / "refs" / "heads" / "main").read_text().strip()
