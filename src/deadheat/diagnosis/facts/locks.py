"""The locks that each side holds, as reported by the detector or read from the code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.race_side import RaceSide  # noqa: TC001, mypyc needs it at run time

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

# how detectors print a held lock: "write M12", "read M3", "0x4A2B", "M7"
_READ_LOCK = re.compile(r"\bread\b")
_LOCK_ID = re.compile(r"(?:M\d+|0x[0-9a-fA-F]+)")
# detectors that report held locks: no report means none held
LOCK_REPORTING_DETECTORS = ("tsan", "helgrind")


class SideLock(NamedTuple):
    """A lock that a side holds; `line` is where the code takes it."""

    name: str
    is_read_lock: bool
    line: int | None = None
    is_embedded: bool = False  # it is an embedded field without a name of its own


def reported_locks(context: RaceContext, side: RaceSide) -> list[SideLock] | None:
    """The locks that the detector reports; None if it does not report locks."""
    if needs_code_for_locks(context):
        return None
    locks = []
    for text in side.access.locks:
        match = _LOCK_ID.search(text)
        locks.append(SideLock(match[0] if match else text, bool(_READ_LOCK.search(text))))
    return locks


def locks_in_code(side: RaceSide) -> list[SideLock] | None:
    """The locks that the code shows; None if it is not available."""
    if side.site_facts is None:
        return None
    receivers = {facts.receiver for _, facts in side.call_chain}
    return [SideLock(h.name, h.is_read_lock, h.line, h.name in receivers) for h in side.locks_held]


def locks_of_both_sides(context: RaceContext) -> tuple[list[SideLock], list[SideLock]] | None:
    """The locks of both sides, from the detector if it reports them, else from the code."""
    if len(context.race_sides) < 2:
        return None
    a, b = context.race_sides
    if not needs_code_for_locks(context):
        return _reported_or_read_locks(context, a), _reported_or_read_locks(context, b)
    mine, other = locks_in_code(a), locks_in_code(b)
    return None if mine is None or other is None else (mine, other)


def _reported_or_read_locks(context: RaceContext, side: RaceSide) -> list[SideLock]:
    """The reported locks. Helgrind omits read locks; those are taken from the code."""
    locks = reported_locks(context, side) or []
    if context.report.detector == "helgrind" and not locks:
        locks = [lock for lock in locks_in_code(side) or () if lock.is_read_lock]
    return locks


def lock_owner_types(side: RaceSide) -> dict[str, str]:
    """The type that owns each lock held according to the code; "" if unknown."""
    owner_by_lock = {}
    for _, facts in side.call_chain:
        for lock in facts.locks_held:
            base, dot, _ = lock.name.partition(".")
            declaration = facts.declarations.get(base)
            if dot or base == facts.receiver:
                owner_by_lock[lock.name] = "" if declaration and declaration.kind in ("local", "loop") else base
            else:
                owner_by_lock[lock.name] = facts.receiver if declaration is None else ""
    return owner_by_lock


def may_be_same_lock(a: RaceSide, b: RaceSide) -> bool:
    """May `s.mu` of a local of unknown type and `Stream.mu` be the same lock?"""
    types, other_types = lock_owner_types(a), lock_owner_types(b)
    for mine, other in ((types, other_types), (other_types, types)):
        unknown = {name.rpartition(".")[2] for name, kind in mine.items() if not kind}
        if any(name.rpartition(".")[2] in unknown for name in other):
            return True
    return False


def overwrites_lock(writer: RaceSide, holder: RaceSide) -> bool:
    """`*l = limits{}`: does a line overwrite the struct that contains the other side's lock?"""
    uses = writer.site_facts.uses if writer.site_facts else ()
    stored = {u.stored_type.rpartition(".")[2] for u in uses if u.stored_type}
    return any(held.name.partition(".")[0] in stored for held in holder.locks_held)


def needs_code_for_locks(context: RaceContext) -> bool:
    """Must the held locks be read from the code?"""
    return context.report.detector not in LOCK_REPORTING_DETECTORS or context.is_inferred


def format_lock_names(locks: list[SideLock]) -> str:
    labels = dict.fromkeys(f"{'the lock in ' * lock.is_embedded}`{lock.name}`" for lock in locks)
    return " and ".join(labels)


def common_lock_names(a: list[SideLock], b: list[SideLock]) -> list[str]:
    return sorted({lock.name for lock in a} & {lock.name for lock in b})
