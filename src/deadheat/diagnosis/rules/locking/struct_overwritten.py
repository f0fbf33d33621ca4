"""A whole struct is overwritten while its fields are in use.

## What it sees
With source: one side stores a whole struct at once (`*x = T{}`, `memset(&x, 0, sizeof x)`), the other works on a field
of it: atomically, by a method, or under a lock that is overwritten with it.

From a report alone: an atomic access against a non-atomic write that copies or clears memory (`memset`, `memcpy`). Or,
in Go, an atomic add against a write by a function that is not named like a reset of a counter (`Reset`, `Flush`).

## Why it races
The assignment writes every field, also those that others use atomically or under a lock of the struct. It overwrites
the lock too.

## Example
    sc := &vars.cached[i]
    *sc = StatementContext{}    // while a worker still adds to sc.MemTracker

## Remedy
Do not reuse the object: make a new one and publish its pointer. Or wait for all users of the old one, then reset it.

## When it is wrong
The struct may be new, and its address was only used before. From a report alone: only the field is set
(`mixed-atomic`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts.function_names import ENDING_VERBS, RENEWING_VERBS, name_words
from deadheat.diagnosis.facts.lifetime import destroy_frame
from deadheat.diagnosis.facts.locks import overwrites_lock
from deadheat.diagnosis.facts.synchronization import is_atomic
from deadheat.diagnosis.rule import FAIR, LIKELY, STRONG, WEAK, Rule, RuleMatch
from deadheat.model import Op

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.finding import Evidence
    from deadheat.diagnosis.race_side import RaceSide

# "memset", "memcpy", "__tsan_memcpy", "memmove", "runtime.typedmemmove", "runtime.duffcopy"
_MEMORY_COPY = re.compile(r"^(?:__tsan_)?mem(?:set|cpy|move)$|^runtime\.(?:typedmem|duff|memclr)")
# "atomic.AddInt64"; no Load or Store: a flag may be set without an atomic by mistake
_ATOMIC_ADD = re.compile(r"^(?:sync/)?atomic\.(?:Add|\(\*\w{1,9}\)\.Add)")
# functions with these verbs set the counter itself
_RESET_VERBS = ENDING_VERBS | RENEWING_VERBS | {"flush", "drain", "zero", "set", "store"}
# "memset(&w, 0, sizeof w);", "memcpy(s, &fresh, sizeof(*s));", "*s = (struct stats){0};"
_CLEARING_CALL = re.compile(r"\b(?:memset|bzero|memcpy)\(\s{0,9}&?([\w.>-]{1,80})\s{0,9},[^;]{0,200}\bsizeof\b")


_CHANGE = (
    "Make a new object for the next use and publish its pointer, or wait until nobody uses"
    " the old one before you overwrite it."
)


def _find_overwritten_struct(context: RaceContext) -> RuleMatch | None:
    for writer, other in context.side_pairs:
        if not writer.writes or is_atomic(writer) or writer.access.op is Op.FREE or destroy_frame(writer):
            continue  # atomic, or destroyed and not overwritten
        stored = _stored_object(writer) or _stored_parent_object(writer, other)
        shared = context.shared_variable
        is_part = shared is not None and (shared.kind == "struct" or bool(shared.accessed_part))
        if stored and writer.site_facts and (is_atomic(other) or is_part):
            evidence: tuple[Evidence, ...] = (
                writer.evidence_at_site(f"`{writer.site_facts.text[:80]}` stores a whole {stored}"),
                other.evidence_at_site(f"{other.action} a part of it"),
            )
            confidence = STRONG if is_atomic(other) else LIKELY
            if overwrites_lock(writer, other):
                lock_sentence = f"including the lock `{other.locks_held[0].name}` that the other side holds"
                evidence, confidence = (*evidence, writer.evidence_at_site(lock_sentence)), STRONG + 0.04
            return RuleMatch(confidence, evidence, _CHANGE, (writer.point,), from_source=True)
        if writer.site_facts is None and writer.live_frames and is_atomic(other):
            confidence, sentence = _confidence_without_source(writer, other)
            atomic_sentence = f"{other.action.removesuffix(' atomically')} atomically"
            evidence = (writer.evidence_at_site(sentence), other.evidence_at_site(atomic_sentence))
            return RuleMatch(confidence, evidence, _CHANGE, (writer.point,))
    return None


def _confidence_without_source(writer: RaceSide, other: RaceSide) -> tuple[float, str]:
    """From a report alone: return the confidence that a whole struct is written, and the reason."""
    if copy := writer.library_frame_matching(_MEMORY_COPY):
        return STRONG, f"{writer.action} with `{copy.function[:40]}`, which writes more than a field"
    if other.library_frame_matching(_ATOMIC_ADD) and not _RESET_VERBS.intersection(name_words(writer.function)[:1]):
        return FAIR + 0.05, f"{writer.action} a shared counter without an atomic, and not as a reset"
    return WEAK, f"{writer.action} without an atomic: it may overwrite the whole object"


def _stored_object(writer: RaceSide) -> str:
    here = writer.site_facts
    if here is None:
        return ""
    if clearing_call := _CLEARING_CALL.search(here.text):
        return f"object: `{clearing_call[1]}`"
    stored = next((u for u in here.uses if u.stored_type), None)
    return f"`{stored.stored_type}`" if stored else ""


def _stored_parent_object(writer: RaceSide, other: RaceSide) -> str:
    """Describe the stored object if the other side uses a field: `l->now = fresh;`, `l->now.picks`."""
    here, other_facts = writer.site_facts, other.site_facts
    if here is None or other_facts is None:
        return ""
    stored = [u.name for u in here.stores if u.line == here.line]
    for use in other_facts.uses:
        for name in [n for n in stored if n in use.path[:-1]]:
            part = use.path[use.path.index(name) + 1]
            # "s.picks": no method of it, and not behind a pointer
            if "(" not in part and f"{name}.{part}" in other_facts.text:
                return f"object: `{name}`"
    return ""


RULE = Rule(
    "struct-overwritten",
    "atomics",
    _find_overwritten_struct,
    "a new object per use",
    "An allocation per use.",
    general_causes=("mixed-atomic",),
    features=rule.Feature.HAS_CODE | rule.Feature.HAS_ATOMIC | rule.Feature.HAS_LIBRARY_FRAMES,
)
