"""Small repositories with a known history, made with the real git; and reports to ask of them."""

from __future__ import annotations

import os
import subprocess
from typing import IO, TYPE_CHECKING

import deadheat

if TYPE_CHECKING:
    from pathlib import Path

    from deadheat.model import Report
    from deadheat.repo.document_claims import DocumentHints
    from deadheat.repo.dossier import Dossier

MODULE = "example.com/acme/relay"
Way = list[tuple[str, str]]  # the frames of a side: function and place
_WHO = {"NAME": "A Tester", "EMAIL": "tester@example.com"}


class Repository:
    """A work tree whose commits are a day apart."""

    def __init__(self, path: Path, *options: str) -> None:
        self.path = path
        self._day = 0
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main", *options)

    def git(self, *args: str, stdin: IO[bytes] | None = None) -> str:
        stamp = f"{1_600_000_000 + self._day * 86_400} +0000"
        who = {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in _WHO.items()}
        done = subprocess.run(
            ["git", "-C", str(self.path), "-c", "commit.gpgsign=false", *args],
            capture_output=True,
            text=True,
            check=True,
            stdin=stdin,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.path.parent),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_AUTHOR_DATE": stamp,
                "GIT_COMMITTER_DATE": stamp,
                **who,
            },
        )
        return done.stdout.strip()

    def put(self, message: str, files: dict[str, str | None]) -> str:
        """Commits files by path; None takes one away."""
        self._day += 1
        for name, text in files.items():
            path = self.path / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


def told_of(repo: Repository, report: Report, hints: DocumentHints | None = None) -> Dossier:
    """The dossier of a report, with the repository as the only clone."""
    from deadheat.repo.clone import Clone
    from deadheat.repo.dossier import build_dossier

    with Clone(str(repo.path)) as clone:
        return build_dossier(report, [clone], hints)


def line(source: str, needle: str, occurrence: int = 1) -> int:
    """The line of a source that holds a text, counted from 1."""
    found = [n for n, text in enumerate(source.splitlines(), 1) if needle in text]
    return found[occurrence - 1]


def frame(function: str, place: str) -> str:
    return f"  {function}()\n      {place} +0x45\n"


def go_report(*sides: tuple[str, list[tuple[str, str]]], created: str = "") -> Report:
    """A report of Go's detector: each side an operation and its frames (function, file:line)."""
    (sighting,) = deadheat.scan(go_text(*sides, created=created), diagnose=False)
    return sighting.report


def go_text(*sides: tuple[str, list[tuple[str, str]]], created: str = "") -> str:
    """The same as the detector prints it."""
    heads = ("{} at 0x00c000012340 by goroutine 7:", "Previous {} at 0x00c000012340 by goroutine 8:")
    text = "==================\nWARNING: DATA RACE\n"
    for head, (op, frames) in zip(heads, sides, strict=False):
        told = op.capitalize() if head.startswith("{") else op
        text += head.format(told) + "\n" + "".join(frame(*f) for f in frames) + "\n"
    return text + created + "==================\n"


def at(source: str, function: str, needle: str) -> tuple[str, str]:
    """A frame of the file `shop.go`, on the line that has some text."""
    return f"{MODULE}/shop.{function}", f"/src/relay/shop/shop.go:{line(source, needle)}"


def first(repo: Repository, source: str, write: Way, read: Way, created: str = "") -> str:
    """The first cause that is told of a race in `shop.go`."""
    repo.put("shop", {"shop/shop.go": source})
    told = told_of(repo, go_report(("write", write), ("read", read), created=created))
    return told.causes[0].cause
