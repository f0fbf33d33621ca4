"""The locks that each side holds, as reported by the detector or read from the code."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.facts.object_origin import is_created_here
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


def find_object_lock(context: RaceContext) -> tuple[RaceSide, RaceSide, str] | None:
    """The side that holds the object's own lock, the side that holds only other types' locks, and the lock."""
    owner = context.shared_variable.owner if context.shared_variable else ""
    for holder, other_side in context.side_pairs if owner else ():
        facts = other_side.site_facts
        stores = facts is not None and any(u.name == context.variable_name for u in facts.stores)
        if other_side.writes or (stores and facts and facts.receiver != owner):
            continue  # a writer outside of the type may use its own lock to guard it
        mine, other = lock_owner_types(holder), lock_owner_types(other_side)
        name = next((lock for lock, kind in mine.items() if kind == owner), None)
        if name and other and not {"", owner} & set(other.values()):
            return holder, other_side, name
    return None if owner else _find_library_reader(context)


def _find_library_reader(context: RaceContext) -> tuple[RaceSide, RaceSide, str] | None:
    """A method uses its object under its lock; a library prints or encodes it under the lock of a container."""
    for holder, other_side in context.side_pairs:
        if other_side.writes or not other_side.is_library_access or holder.site_facts is None:
            continue
        kind = holder.site_facts.receiver
        mine, other = lock_owner_types(holder), lock_owner_types(other_side)
        name = next((lock for lock, lock_type in mine.items() if lock_type == kind != ""), None)
        if name and other and kind not in other.values():
            return holder, other_side, name
    return None


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


_MIN_FUNCTIONS = 3  # functions that hold it: fewer are not conclusive


class UsualLock(NamedTuple):
    """The known side and the lock it lacks, which `holder_count` of `method_count` methods hold."""

    side: RaceSide
    lock: str
    holder_count: int
    method_count: int


def find_usual_lock(context: RaceContext) -> UsualLock | None:
    """The lock that most other methods hold when they use the field of the only known side."""
    side, shared, source = context.only_known_side, context.shared_variable, context.source
    if not context.is_go or source is None or shared is None or side is None:
        return None
    if side.site is None or side.site_facts is None or shared.kind != "field" or not shared.owner:
        return None
    if side.frame_expecting_lock or is_created_here(context, side):
        return None  # the caller holds it, or the object is not shared yet
    chain_functions = {code.definition for _, code in side.call_chain}
    others: dict[tuple[str, int], set[str]] = {}
    for facts in source.find_field_uses(shared.name, side.site):
        if facts.receiver == shared.owner and facts.definition not in chain_functions:
            others.setdefault(facts.definition, set()).update(h.name for h in facts.locks_held)
    holder_counts = Counter(name for names in others.values() for name in names)
    usual_locks = {n for n, count in holder_counts.items() if count >= _MIN_FUNCTIONS and 2 * count > len(others)}
    if not usual_locks or usual_locks.intersection(lock.name for lock in side.locks_held):
        return None
    lock = max(usual_locks, key=lambda name: (holder_counts[name], name))
    return UsualLock(side, lock, holder_counts[lock], len(others))
