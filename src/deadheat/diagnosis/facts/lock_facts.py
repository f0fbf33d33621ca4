"""Facts about locks and atomics: what each side holds, and what other accesses of the variable hold."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from deadheat.diagnosis.context import once_per_report
from deadheat.diagnosis.facts import locks, synchronization
from deadheat.diagnosis.facts.fact import About, Fact
from deadheat.diagnosis.finding import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.locks import SideLock
    from deadheat.diagnosis.race_side import RaceSide

_MIN_FUNCTIONS = 2  # functions that hold it: fewer are not conclusive


class UsualLock(NamedTuple):
    """The lock that `holder_count` of `function_count` other functions hold when they use the variable."""

    lock: str
    holder_count: int
    function_count: int


def facts_of_locks(context: RaceContext) -> Iterator[Fact]:
    held = locks.locks_of_both_sides(context)
    if held is not None:
        yield from _facts_of_held_locks(context, *held)
    elif context.race_sides:
        yield Fact("locks", about=About.UNKNOWN)
    yield from _facts_of_usual_lock(context)
    yield from _facts_of_atomics(context)


def _facts_of_held_locks(context: RaceContext, first: list[SideLock], second: list[SideLock]) -> Iterator[Fact]:
    a, b = context.race_sides
    held = {id(a): first, id(b): second}
    if not first and not second:
        yield Fact("no side holds a lock", a.evidence_at_site("neither side holds a lock"))
        return
    common = locks.common_lock_names(first, second)
    if common:
        exclusive = [{lock.name for lock in side_locks if not lock.is_read_lock} for side_locks in (first, second)]
        evidence = a.evidence_at_site(f"both sides hold `{common[0]}`")
        shared_lock = any(name in exclusive[0] or name in exclusive[1] for name in common)
        yield Fact(
            "both hold one lock" if shared_lock else "both hold one lock for reading", evidence, subject=common[0]
        )
        return
    if first and second:
        text = f"{a.subject} holds {locks.format_lock_names(first)}, {b.subject} {locks.format_lock_names(second)}"
        same_name = {lock.name.rpartition(".")[2] for lock in first} & {lock.name.rpartition(".")[2] for lock in second}
        about = _union_of_abouts(context, [(a, first), (b, second)])
        yield Fact("both hold different locks", a.evidence_at_site(text), about)
        if same_name:
            yield Fact("the different locks have one name", subject=min(same_name))
        if context.has_code and locks.may_be_same_lock(a, b):
            yield Fact("the different locks may be one")
        return
    for writer, other in context.role_pairs:
        for role, side, without in (("writer", writer, other), ("other side", other, writer)):
            if not held[id(side)]:
                continue
            names = locks.format_lock_names(held[id(side)])
            text = f"{side.action} under {names}, and {without.subject} does not hold it"
            evidence = side.evidence_at_site(text)
            about = _about_of_lock(context, side, held[id(side)])
            only_read = all(lock.is_read_lock for lock in held[id(side)])
            kind = "read lock" if only_read else "lock"
            yield Fact(f"only the {role} holds a {kind}", evidence, about, side, names)
            yield Fact("only one side holds a lock", evidence, about, side, names)
            own = side.site_facts is not None and any(side.site_facts.locks_held)
            if context.has_code and not own:
                yield Fact("the lock is taken by a caller", evidence, side=side)


def _about_of_lock(context: RaceContext, side: RaceSide, side_locks: list[SideLock]) -> About:
    """Does the lock belong to the object that contains the raced variable?"""
    shared = context.shared_variable
    if shared is None or not context.has_code:
        return About.UNKNOWN
    owners = set(locks.lock_owner_types(side).values())
    if shared.kind != "field" or not shared.owner:
        is_taken_here = side.site_facts is not None and bool(side.site_facts.locks_held)
        return About.RACE if is_taken_here else About.UNKNOWN
    if shared.owner in owners or any(lock.name.partition(".")[0] == shared.owner for lock in side_locks):
        return About.RACE
    return About.UNKNOWN if not owners or "" in owners else About.OTHER


def _union_of_abouts(context: RaceContext, locks_of_sides: list[tuple[RaceSide, list[SideLock]]]) -> About:
    abouts = {_about_of_lock(context, side, held) for side, held in locks_of_sides}
    if About.RACE in abouts:
        return About.RACE if len(abouts) == 1 else About.OTHER
    return About.OTHER if About.OTHER in abouts else About.UNKNOWN


@once_per_report
def usual_lock(context: RaceContext) -> UsualLock | None:
    """The lock that other functions of the package hold most often when they use the raced field."""
    shared, source = context.shared_variable, context.source
    sites = [side for side in context.race_sides if side.site is not None and side.site_facts is not None]
    if not context.is_go or source is None or shared is None or shared.kind != "field" or not sites:
        return None
    of_sides = {facts.definition for side in sites for _, facts in side.call_chain}
    held_by_function: dict[tuple[str, int], set[str]] = {}
    site = sites[0].site
    for facts in source.find_field_uses(shared.name, site) if site else ():
        if facts.receiver == shared.owner and facts.definition not in of_sides:
            held_by_function.setdefault(facts.definition, set()).update(h.name for h in facts.locks_held)
    counts = Counter(name for names in held_by_function.values() for name in names)
    if not held_by_function:
        return None
    lock = max(counts, key=lambda name: (counts[name], name), default="")
    return UsualLock(lock, counts[lock] if lock else 0, len(held_by_function))


def _facts_of_usual_lock(context: RaceContext) -> Iterator[Fact]:
    usual = usual_lock(context)
    if usual is None:
        return
    if usual.holder_count == 0:
        if usual.function_count >= _MIN_FUNCTIONS:
            yield Fact("no other access holds a lock")
        return
    if usual.holder_count < _MIN_FUNCTIONS and 2 * usual.holder_count <= usual.function_count:
        return
    share = f"{usual.holder_count} of {usual.function_count} other functions"
    text = f"{share} that use {context.variable_label} hold `{usual.lock}`"
    lacking = [s for s in context.race_sides if usual.lock not in {h.name for h in s.locks_held}]
    evidence = lacking[0].evidence_at_site(text) if lacking else Evidence(text)
    if 2 * usual.holder_count > usual.function_count:
        yield Fact("most other accesses hold a lock", evidence, subject=usual.lock)
        number = ("both sides hold", "one side lacks", "both sides lack")[len(lacking)] if len(lacking) < 3 else ""
        yield Fact(f"{number} the usual lock", evidence, side=lacking[0] if lacking else None, subject=usual.lock)
    else:
        yield Fact("some other accesses hold a lock", evidence, subject=usual.lock)


def _facts_of_atomics(context: RaceContext) -> Iterator[Fact]:
    name = context.variable_name
    atomic = [side for side in context.race_sides if synchronization.is_atomic(side, name)]
    atomic = [side for side in atomic if not synchronization.belongs_to_lock(side)]
    if len(atomic) == 1 and len(context.race_sides) == 2:
        side = atomic[0]
        yield Fact("one side is atomic", side.evidence_at_site(side.atomic_action), side=side)
        other = next(s for s in context.race_sides if s is not side)
        if other.writes:
            yield Fact(
                "the side that is not atomic writes",
                other.evidence_at_site(f"{other.action}, not atomically"),
                side=other,
            )
    shared = context.shared_variable
    if shared is not None and "atomic" in shared.type:
        yield Fact("variable has an atomic type")
    for holder, writer in context.side_pairs:
        if writer.writes and holder.locks_held and locks.overwrites_lock(writer, holder):
            text = f"{writer.action} the whole struct that contains the lock"
            yield Fact("lock is overwritten", writer.evidence_at_site(text), side=writer)
