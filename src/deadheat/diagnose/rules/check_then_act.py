"""A check and the action that depends on it are not one step.

## What it sees

Two actors in one function that changes state (`Take`, `Reserve`): one reads, the other writes some
lines further down. In Go the write may also follow directly, with no space for a call that makes
the value.

With source: the write depends on a condition on the same variable (`if v > max { max = v }`), in an
`if`, a `switch` or before an early return.

- The condition does not ask whether the value exists at all. A parameter or state that is stored if
  there is none (`owner = guest`) is claimed, not created.
- The check, the write or both may be in callees (`if r.free() { r.assign(guest) }`) that ask
  whether it is present or taken, not how much there is. A condition of the writer itself counts in
  any case.
- The report may have one side only, if the code of that side shows both steps.

Not matched: a slice or C array that is only grown, cut or sorted under the check
(`concurrent-slice`), and `if (--refs == 0)`, which is one step and needs an atomic.

## Why it races

Another actor can act between the check and the action. Even if each step is atomic, the two
together are not.

## Example

    if v > g.max { g.max = v }      // a larger value may be overwritten by a smaller one

## Remedy

Hold one lock from the check to the action. Or use `CompareAndSwap` in a loop.

## When it is wrong

An object that is created at first use is `lazy-initialisation`.
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
_LEAVES = 2  # a check with an early return takes three lines
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
            one.side.told(f"{one.side.does}; {one.told} and set on line {one.sets.line}"),
            one.side.told("no lock is held in between; the other side is not in the report"),
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
        # a check in another function may not be the one that this write depends on
        sure = STRONG if _is_own(found) or _is_taken(scene, found) else EVEN
        return Hit(sure, evidence, change, (found.sets.point,), from_source=True)
    guess = likely(scene)
    stores = guess is not None and depth.only_stores(scene, guess.other, guess.sets)
    if guess is None or (is_lazy(guess.sets.name) and not stores):
        return None
    down = (guess.sets.point.line or 0) - (guess.other.point.line or 0)
    if down < 0 or verb(guess.sets.name) in READING:
        return None  # it writes first, or is a lookup that only records the access
    # a write within two lines is usually lazy initialisation
    acts = stores or down > _LEAVES or is_changing(guess.sets.name)
    evidence = (
        guess.other.told(f"{guess.other.does} first"),
        guess.sets.told(f"{guess.sets.does} a few lines further down in the same function"),
    )
    return Hit(FAIR if acts else WEAK, evidence, change, (guess.sets.point,))


def _is_own(found: Check) -> bool:
    """Return whether the writing function makes the check itself, without a call."""
    return found.sets.name == found.other.name and not _CALL.search(found.told)


def _is_taken(scene: Scene, found: Check) -> bool:
    """Return whether the reader checks presence or a flag, not an amount."""
    text = found.other.here.text if found.other.here else ""
    flag = scene.shared is not None and scene.shared.type.strip() == "bool"
    return bool(_ABSENT.search(text) or _BARE.match(text)) or (flag and text.startswith("return "))


def _counts(found: Check) -> bool:
    """Return whether the condition itself changes the value, as in `if (--refs == 0)`."""
    asked, here = found.condition, found.sets.here
    return bool(asked and here and asked.line == here.line and _COUNT.search(asked.text))


def _between(scene: Scene) -> Hit | None:
    """Match an error in a worker after a check of state that another call in the function changes."""
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
            f"`{act.on}.{act.name}` changes that state; no lock is held from the check to the change"
        )._replace(at=side.point._replace(line=act.line)),
        side.told(
            f"it is called by a worker, `{worker.function}`, and workers run concurrently"
        )._replace(at=point(worker)),
    )
    change = (
        f"Call `{act.name}` once before the workers start, or hold one lock from the check of"
        f" `{act.on}` to its change."
    )
    return Hit(FAIR, evidence, change, (side.point,), from_source=True)


RULE = Rule(
    "check-then-act",
    "publication",
    _find,
    "sync.Mutex around both steps; CompareAndSwap",
    "The lock is held longer.",
    general=("missing-lock",),
    when=SOURCE | ONE_FUNCTION,
)
