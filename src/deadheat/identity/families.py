"""Families: races that share a writer or a worker. A family is a suggestion, not an identity."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from deadheat import registry
from deadheat.identity.components import Components
from deadheat.model import Op, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from deadheat.dialects import Symbols
    from deadheat.model import Access, Actor, Frame, Report

# number of user frames of a write that may be the culprit
_DEPTH: Final = 2
# a key that more races share is infrastructure
MOST: Final = 40
_WRITES: Final = (Op.WRITE, Op.ATOMIC_WRITE, Op.FREE)
_REASONS: Final = {
    "writer": "both are written in or below {}",
    "worker": "one side of each runs in the worker {1} that {0} starts",
}


class Family(NamedTuple):
    """Races that may have a common cause, and the reasons."""

    id: str
    races: tuple[str, ...]
    why: tuple[str, ...]


def keys(report: Report) -> Iterator[str]:
    """The family keys of a report: `writer executor ResetContextOfStmt`."""
    symbols = registry.dialect(report.detector).symbols
    actors = {actor.id: actor for actor in report.actors}
    for access in report.accesses:
        if access.op in _WRITES:
            for frame in islice(_own(access.stack), _DEPTH):
                yield f"writer {symbols.key(frame)}"
        yield from _worker(access, actors.get(access.actor), symbols)


def _worker(access: Access, actor: Actor | None, symbols: Symbols) -> Iterator[str]:
    """A worker is identified by the function that starts it and the function that it runs."""
    started = next(_own(actor.created_at), None) if actor else None
    entry = next(_own(reversed(access.stack)), None)
    if started is not None and entry is not None:
        yield f"worker {symbols.key(started)} > {symbols.key(entry)}"


def _own(stack: Iterable[Frame]) -> Iterator[Frame]:
    """The user frames that are valid and not in a test."""
    for frame in stack:
        if frame.origin is Origin.USER and not frame.stale and not _is_test(frame):
            yield frame


def _is_test(frame: Frame) -> bool:
    return frame.file.endswith("_test.go")


def families(races: Mapping[str, Iterable[str]]) -> list[Family]:
    """Return the families of these races by their family keys, ordered by id."""
    holders: dict[str, list[str]] = {}
    for race in sorted(races):
        for key in sorted(set(races[race])):
            holders.setdefault(key, []).append(race)
    shared = {key: held for key, held in holders.items() if 1 < len(held) <= MOST}
    components = Components()
    for held in shared.values():
        for race in held:
            components.join(held[0], race)
    members: dict[str, list[str]] = {}
    for race, root in sorted(components.roots().items()):
        members.setdefault(root, []).append(race)
    why: dict[str, list[str]] = {}
    for key, held in sorted(shared.items(), key=lambda item: (-len(item[1]), item[0])):
        why.setdefault(components.root(held[0]), []).append(reason(key))
    return [Family(root, tuple(members[root]), tuple(why[root])) for root in sorted(members)]


def reason(key: str) -> str:
    """A family key as a sentence."""
    kind, _, what = key.partition(" ")
    return _REASONS[kind].format(*(_short(name) for name in what.split(" > ")))


def _short(name: str) -> str:
    """`github.com/pingcap/tidb/executor ResetContextOfStmt` as `executor.ResetContextOfStmt`."""
    package, _, function = name.rpartition(" ")
    return f"{package.rpartition('/')[2]}.{function}" if package else function
