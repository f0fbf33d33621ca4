"""A check and the act that depends on it are not one step.

## What it sees

Two actors in one function that changes what is there (`Take`, `Reserve`): one reads, the other writes
some lines further down, or, in Go, with no room in between for a call that makes what is stored. With
source: the write stands under a condition on the same variable that is not a check whether it is there
at all (`if v > max { max = v }`), in an `if`, a `switch` or before an early return; the check, the
write or both may be made by functions that are called there (`if r.free() { r.assign(guest) }`), where
they ask whether it is there or taken, and not how much of it there is, unless a condition of their own
decides there, or what is asked is what another call makes of it. A slice that is only grown, cut or
sorted under the check is `concurrent-slice`, and so is a row of C. What is stored if there is none, and
was given or is one of several states (`owner = guest`), is taken, not made. Where the report has one
side only, the code of that side may still show it. `if (--refs == 0)` is one step, and lacks an atomic.

## Why it races

Between the check and the act another one may act. Even if each were atomic, the two together are
not.

## Example

    if v > g.max { g.max = v }      // a larger value may be overwritten by a smaller one

## Remedy

Hold one lock from the check to the act; or a loop with `CompareAndSwap`.

## When it is wrong

A thing that is made at first use is `lazy-initialisation`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.diagnose import depth, locking
from deadheat.diagnose.checking import Check, asked, check, claims
from deadheat.diagnose.guessing import is_changing, is_lazy, likely, verb
from deadheat.diagnose.lone import lone
from deadheat.diagnose.naming import words
from deadheat.diagnose.rows import puts_at, resizes
from deadheat.diagnose.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Hit, Rule
from deadheat.diagnose.side import point
from deadheat.diagnose.traits import ONE_FUNCTION, SOURCE
from deadheat.diagnose.vocabulary import ACTING, READING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Scene

# "executor.(*innerWorker).run", "pool.(*Pool).workerLoop"
_WORKER = re.compile(r"[wW]orker|\.run$|[lL]oop$")
# "--b->refs == 0", "n++ < limit"
_COUNT = re.compile(r"\+\+|--")
# "if b.ready()"
_CALL = re.compile(r"\w\(")
# "return r.guest == \"\"", "if (seats[i].taken_by == 0)"
_ABSENT = re.compile(r'[=!]=\s{0,3}(?:""|nil|NULL|nullptr|0|-1|true|false)(?!\w)')
# "if (ports.taken[i]) {", "if !s.open {"
_BARE = re.compile(r"if\s{0,3}\(?!?[\w.\[\]]{1,80}(?:->[\w.\[\]]{1,80})?\)?\s{0,3}(?:\{|$|\w)")
_LEAVES = 2  # a check that leaves the function needs three lines
_CHANGE = "Hold one lock from the check to the write of {what}, or use CompareAndSwap in a loop."


def _find(scene: Scene) -> Hit | None:
    change = _CHANGE.format(what=scene.what)
    if scene.report.detector == "go-error":
        return _between(scene)
    if (
        (one := lone(scene))
        and not one.again
        and (not one.absent or claims(one.sets, one.condition.text))
        and not puts_at(one.sets)
    ):
        evidence = (
            one.side.told(f"{one.side.does}; {one.told}, and set on line {one.sets.line}"),
            one.side.told("no lock is held from the check to there; the other side is not told"),
        )
        return Hit(LIKELY, evidence, change, (one.side.point,), from_source=True)
    found = check(scene) or asked(scene)
    if found and not found.absent and found.condition:
        held = locking.locks(scene)
        if (held and any(held)) or _counts(found) or resizes(scene, found):
            return None
        evidence = (
            found.sets.told(f"{found.sets.does} under `{found.told}`"),
            found.other.told(f"{found.other.does} {found.where}, in {found.other.actor.id}"),
        )
        # what another function was asked need not be what this write depends on
        sure = STRONG if _is_own(found) or _is_taken(scene, found) else EVEN
        return Hit(sure, evidence, change, (found.sets.point,), from_source=True)
    guess = likely(scene)
    stores = guess is not None and depth.only_stores(scene, guess.other, guess.sets)
    if guess is None or (is_lazy(guess.sets.name) and not stores):
        return None
    down = (guess.sets.point.line or 0) - (guess.other.point.line or 0)
    if down < 0 or verb(guess.sets.name) in READING:
        return None  # it acts first, or is called to look something up and only notes that
    # in the next line or two stands what is made at first use, unless something says otherwise
    acts = stores or down > _LEAVES or is_changing(guess.sets.name)
    evidence = (
        guess.other.told(f"{guess.other.does} first"),
        guess.sets.told(f"{guess.sets.does} a little further down in the same function"),
    )
    return Hit(FAIR if acts else WEAK, evidence, change, (guess.sets.point,))


def _is_own(found: Check) -> bool:
    """Does the function that writes ask itself, and call nobody to tell?"""
    return found.sets.name == found.other.name and not _CALL.search(found.told)


def _is_taken(scene: Scene, found: Check) -> bool:
    """Does who reads ask whether it is there or taken, and not how much of it there is?"""
    text = found.other.here.text if found.other.here else ""
    flag = scene.shared is not None and scene.shared.type.strip() == "bool"
    return bool(_ABSENT.search(text) or _BARE.match(text)) or (flag and text.startswith("return "))


def _counts(found: Check) -> bool:
    """`if (--refs == 0)`: the condition itself changes it, and one atomic step would do."""
    asked, here = found.condition, found.sets.here
    return bool(asked and here and asked.line == here.line and _COUNT.search(asked.text))


def _between(scene: Scene) -> Hit | None:
    """An error that a worker met: a state was asked for that another call in the function changes."""
    side = scene.sides[0] if scene.sides else None
    worker = next((f for f in side.true if _WORKER.search(f.function)), None) if side else None
    if side is None or side.here is None or worker is None or side.held:
        return None
    condition = next(reversed(side.here.conditions), None)
    asked = {c.on for c in side.here.calls if condition and c.line == condition.line and c.on}
    acts = [c for c in side.here.calls if c.on in asked and ACTING.intersection(words(c.name)[:1])]
    if condition is None or not acts:
        return None
    act = acts[0]
    evidence = (
        side.told(f"`{side.here.function}` fails under `if {condition.text[:60]}`"),
        side.told(
            f"`{act.on}.{act.name}` changes that state, and no lock is held from check to change"
        )._replace(at=side.point._replace(line=act.line)),
        side.told(
            f"it is called by a worker, `{worker.function}`, and workers run beside each other"
        )._replace(at=point(worker)),
    )
    change = (
        f"Do `{act.name}` once before the workers start, or hold one lock from the check of"
        f" `{act.on}` to its change."
    )
    return Hit(FAIR, evidence, change, (side.point,), from_source=True)


RULE = Rule(
    "check-then-act",
    "publication",
    _find,
    "sync.Mutex around both steps; CompareAndSwap",
    "The lock is held a little longer.",
    general=("missing-lock",),
    when=SOURCE | ONE_FUNCTION,
)
