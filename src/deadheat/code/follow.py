"""Files and lines over time: renames, and the commit that introduced a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.code import lines, syntax
from deadheat.code.history import Change, version_at
from deadheat.code.languages import language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from deadheat.code.clone import Clone

_SPACE = re.compile(rb"\s+")
_ALIKE = 0.5
_MOST_MOVES = 8
_BATCH = 48
# shorter lines are not distinctive ("return nil"); a backported fix may lose a line
_TELLING, _NEARLY = 12, 0.8


class Step(NamedTuple):
    """The period on the main line in which a file has one path."""

    path: str
    first: int
    last: int | None  # the position at which the path was removed


def forward(clone: Clone, path: str, pos: int) -> list[Step]:
    """The paths of a file from a position on, through renames; the last is the current one."""
    steps: list[Step] = []
    while len(steps) < _MOST_MOVES:
        versions = clone.main.versions(path)
        gone = next((v.pos for v in versions if v.pos > pos and v.blob is None), None)
        steps.append(Step(path, pos, gone))
        if gone is None:
            return steps
        target = _moved(clone, path, gone, version_at(versions, gone - 1), to=True)
        if target is None:
            return steps
        path, pos = target, gone
    return steps


def backward(clone: Clone, path: str, pos: int) -> Iterator[tuple[str, list[Change]]]:
    """The paths of a file up to a position with their versions, both newest first."""
    for _ in range(_MOST_MOVES):
        versions = [v for v in clone.main.versions(path) if v.pos <= pos]
        born = next((n for n in range(len(versions) - 1, 0, -1) if versions[n - 1].blob is None), 0)
        versions = versions[born:]
        if not versions or versions[0].blob is None:
            return
        yield path, versions[::-1]
        source = _moved(clone, path, versions[0].pos, versions[0].blob, to=False)
        if source is None:
            return
        path, pos = source, versions[0].pos - 1


def _moved(clone: Clone, path: str, pos: int, blob: str | None, to: bool) -> str | None:
    """The other path of a rename in one commit: by content, else by name and similarity."""
    if blob is None:
        return None
    brought, taken = clone.main.moves(pos)
    others = brought if to else taken
    if same := others.by_content.get(blob):
        return max(same, key=lambda other: _shared(path, other))
    tongue = language(path)
    near = [end for end in others.near(path) if language(end[0]) == tongue]
    near.sort(key=lambda o: -_shared(path, o[0]))
    text = clone.git.object(blob)
    for other, content in near[:20]:
        there = clone.git.object(content)
        if text and there and _likeness(text, there) >= _ALIKE:
            return other
    return None


def _shared(a: str, b: str) -> int:
    """The number of equal trailing elements of two paths."""
    pairs = zip(reversed(a.split("/")), reversed(b.split("/")), strict=False)
    return next(
        (n for n, (x, y) in enumerate(pairs) if x != y), min(a.count("/"), b.count("/")) + 1
    )


def _likeness(a: bytes, b: bytes) -> float:
    mine, theirs = set(a.split(b"\n")), set(b.split(b"\n"))
    return len(mine & theirs) / max(len(mine), len(theirs), 1)


def function_text(clone: Clone, blob: str | None, path: str, function: str) -> bytes | None:
    """The text of a function in one version of a file, or None."""
    return function_texts(clone, [blob], path, function)[blob] if blob else None


def function_texts(
    clone: Clone, blobs: Iterable[str | None], path: str, function: str
) -> dict[str | None, bytes | None]:
    """The text of a function in several versions, read in one batch and cached."""
    tongue = language(path)
    known = clone.texts.setdefault((tongue, function), {})
    missing = list(dict.fromkeys(blob for blob in blobs if blob and blob not in known))
    alike = _alike(clone, missing, function) if tongue == "go" else {b: b for b in missing}
    known.update(dict.fromkeys(missing))
    for blob, source in clone.git.objects(dict.fromkeys(alike.values())):
        known[blob] = _function(source, path, function) if source is not None else None
    known.update((blob, known[other]) for blob, other in alike.items())
    return known


def _alike(clone: Clone, blobs: list[str], function: str) -> dict[str, str]:
    """For each version with the function, the first version with the same function text."""
    first: dict[str, str] = {}
    found = clone.outlines.find(function, blobs)
    return {blob: first.setdefault(f.digest, blob) for blob, f in found.items() if f}


def _function(source: bytes, path: str, function: str) -> bytes | None:
    tongue = language(path)
    if tongue is None or not function:
        return None
    if tongue == "go":
        place = lines.go_place(function, source)
        end = source.find(b"\n", place[1]) if place else -1
        return source[place[0] : end if end >= 0 else len(source)] if place else None
    span = next(iter(lines.functions(tongue, source, function)), None)
    return b"\n".join(syntax.rows(source, *span)) if span else None


def brought(clone: Clone, path: str, function: str, line: bytes, pos: int) -> int | None:
    """The position of the commit that added a line to a function, searched back from a position."""
    wanted, found = squeezed(line), None
    for where, versions in backward(clone, path, pos):
        for start in range(0, len(versions), _BATCH):
            batch = versions[start : start + _BATCH]
            held = _held(clone, where, function, wanted, [v.blob for v in batch if v.blob])
            for change in batch:
                if not held.get(change.blob or ""):
                    return found
                found = change.pos
    return found


def _held(
    clone: Clone, path: str, function: str, wanted: bytes, blobs: list[str]
) -> dict[str, int]:
    """Whether each version of a file has the line in the function."""
    question = f"holds {language(path)} {function}\n{wanted.decode('utf-8', 'replace')}"
    known = clone.answers.known(question)
    missing = [blob for blob in blobs if blob not in known]
    texts = function_texts(clone, missing, path, function)
    for blob in missing:
        text = texts.get(blob)
        held = text is not None and wanted in map(squeezed, text.split(b"\n"))
        clone.answers.learn(question, blob, int(held))
    return known


def squeezed(line: bytes) -> bytes:
    """The line with whitespace collapsed."""
    return _SPACE.sub(b" ", line).strip()


def rows(clone: Clone, blob: str | None) -> set[bytes]:
    """The distinctive lines of a version, normalized."""
    source = clone.git.object(blob) if blob else None
    squeezed_rows = map(squeezed, (source or b"").split(b"\n"))
    return {row for row in squeezed_rows if len(row) >= _TELLING}


def hold(clone: Clone, fixed: str, added: set[bytes], blobs: set[str]) -> dict[str, int]:
    """Whether each version of a file has nearly all lines that a fix added."""
    question = f"mended {fixed}"
    known = clone.answers.known(question)
    for blob, source in clone.git.objects(sorted(b for b in blobs if b not in known)):
        there = set(map(squeezed, (source or b"").split(b"\n")))
        clone.answers.learn(question, blob, int(len(added & there) >= _NEARLY * len(added)))
    return known
