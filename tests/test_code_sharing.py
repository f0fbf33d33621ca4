"""What many reports share: outlines of files and the names that they declare, by file version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deadheat.repo import file_versions
from deadheat.repo.clone import Clone
from deadheat.repo.file_versions import DeclaredNameIndex, FunctionOutlineIndex
from deadheat.repo.pinning import line_claims
from tests.repositories import MODULE, Repository
from tests.watchdog import time_limit

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """package p

type T[K any] struct {
	Mu, other sync.Mutex
	first  int
	Nested struct {
		Deep string
	}
}

func one() {}

func (t *T[K]) Two(a int) (
	b int,
) {
	text := `
}
`
	if x {
	}
	return
}

func three[K comparable](k K) K {
	return k
}

func (T) four() {
	first := 1
	return first
}
"""
FUNCTIONS = ("one", "(*T).Two", "T.Two", "three", "(*T).four", "none", "(*T).one", "Two")


pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "relay")


def versions(repo: Repository, *sources: str) -> list[str]:
    for number, source in enumerate(sources):
        repo.put(f"{number}", {"p.go": source, "go.mod": f"module {MODULE}\n"})
    return [repo.git("rev-parse", f"HEAD~{n}:p.go") for n in reversed(range(len(sources)))]


@pytest.mark.parametrize("end", ["", "\n", "\n// the end\n", "func last() {\n", "func last() {"])
def test_an_outline_has_the_extents_that_the_source_shows(repo: Repository, end: str) -> None:
    source = SOURCE + end
    (blob,) = versions(repo, source)
    for _ in range(2):  # from git, then from the disk
        with Clone(str(repo.path)) as clone:
            for function in (*FUNCTIONS, "last"):
                found = clone.outlines.find_function(function, [blob])[blob]
                span = (found.first, found.last) if found else None
                assert span == line_claims.go_function_lines(function, source.encode()), function


def test_a_function_is_read_from_one_of_the_versions_in_which_it_is_the_same(
    repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = SOURCE.replace("return k", "return k + k")
    moved = "// moved\n" + SOURCE
    blobs = versions(repo, SOURCE, moved, other)
    with Clone(str(repo.path)) as clone:
        clone.outlines.find_function("three", blobs)
        read: list[str] = []
        objects = clone.git.read_objects
        monkeypatch.setattr(clone.git, "read_objects", lambda names: objects(_told(names, read)))
        texts = file_versions.function_texts(clone, blobs, "p.go", "three")
    assert texts[blobs[0]] == texts[blobs[1]] != texts[blobs[2]]
    assert read == [blobs[0], blobs[2]]


def _told(names: object, read: list[str]) -> list[str]:
    told = list(names)  # type: ignore[call-overload]
    read += told
    return told  # type: ignore[no-any-return]


def test_names_are_those_that_a_file_may_declare(repo: Repository) -> None:
    (blob,) = versions(repo, SOURCE)
    with Clone(str(repo.path)) as clone:
        names = DeclaredNameIndex(clone.git).declared_names([blob])[blob].split()
    declared = {"T", "Mu", "other", "first", "Nested", "Deep", "one", "Two", "three", "four"}
    assert declared <= set(names)
    assert not {"return", "if", "package"} & set(names)


def test_what_nobody_wrote_by_hand_is_outlined_soon(repo: Repository) -> None:
    (blob,) = versions(repo, "func f(" * 100_000 + "\n" + "\nfunc (t *T[" * 50_000 + "\n}" * 100_000)
    with time_limit(), Clone(str(repo.path)) as clone:
        FunctionOutlineIndex(clone.git).find_function("f", [blob])
        DeclaredNameIndex(clone.git).declared_names([blob])
