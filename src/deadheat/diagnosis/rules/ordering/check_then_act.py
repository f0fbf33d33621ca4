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

from deadheat.diagnosis.facts import addresses, locks
from deadheat.diagnosis.facts.condition_checks import (
    CheckedWrite,
    find_check,
    find_check_by_call,
    find_one_sided_check,
    guess_check,
    is_changing_name,
    is_lazy_name,
    stores_parameter_or_state,
    verb_of,
)
from deadheat.diagnosis.facts.containers import only_resizes, stores_at_counter
from deadheat.diagnosis.facts.function_names import READING_VERBS, STATE_CHANGE_VERBS, name_words
from deadheat.diagnosis.race_side import point_of
from deadheat.diagnosis.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Feature, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

# "executor.(*innerWorker).run", "pool.(*Pool).workerLoop"
_WORKER_FUNCTION = re.compile(r"[wW]orker|\.run$|[lL]oop$")
# "--b->refs == 0", "n++ < limit"
_INCREMENT = re.compile(r"\+\+|--")
# "if b.ready()"
_CALL = re.compile(r"\w\(")
# "return r.guest == \"\"", "if (seats[i].taken_by == 0)"
_PRESENCE_CHECK = re.compile(r'[=!]=\s{0,3}(?:""|nil|NULL|nullptr|0|-1|true|false)(?!\w)')
# "if (ports.taken[i]) {", "if !s.open {"
_BARE_CONDITION = re.compile(r"if\s{0,3}\(?!?[\w.\[\]]{1,80}(?:->[\w.\[\]]{1,80})?\)?\s{0,3}(?:\{|$|\w)")
_MAX_CREATION_LINES = 2  # a check with an early return takes three lines
_CHANGE = "Hold one lock from the check to the write of {what}, or use CompareAndSwap in a loop."


def _find_check_then_act(context: RaceContext) -> RuleMatch | None:
    change = _CHANGE.format(what=context.variable_label)
    if context.report.detector == "go-error":
        return _match_check_in_worker(context)
    if (
        (one_sided := find_one_sided_check(context))
        and not one_sided.second_check
        and (
            not one_sided.checks_existence or stores_parameter_or_state(one_sided.write_facts, one_sided.condition.text)
        )
        and not stores_at_counter(one_sided.write_facts)
    ):
        evidence = (
            one_sided.side.evidence_at_site(
                f"{one_sided.side.action}; {one_sided.condition_sentence} and set on line {one_sided.write_facts.line}"
            ),
            one_sided.side.evidence_at_site("no lock is held in between; the other side is not in the report"),
        )
        return RuleMatch(LIKELY, evidence, change, (one_sided.side.point,), from_source=True)
    check_found = find_check(context) or find_check_by_call(context)
    if check_found and not check_found.checks_existence and check_found.condition:
        locks_held = locks.locks_of_both_sides(context)
        if (locks_held and any(locks_held)) or _changes_in_condition(check_found) or only_resizes(context, check_found):
            return None
        evidence = (
            check_found.writer.evidence_at_site(f"{check_found.writer.action} under `{check_found.condition_text}`"),
            check_found.other.evidence_at_site(
                f"{check_found.other.action} {check_found.other_location}, in {check_found.other.actor.id}"
            ),
        )
        # a check in another function may not be the one that this write depends on
        certainty = STRONG if _is_direct_check(check_found) or _checks_presence(context, check_found) else EVEN
        return RuleMatch(certainty, evidence, change, (check_found.writer.point,), from_source=True)
    guess = guess_check(context)
    stores = guess is not None and addresses.stores_without_creation(context, guess.other, guess.writer)
    if guess is None or (is_lazy_name(guess.writer.function) and not stores):
        return None
    lines_below = (guess.writer.point.line or 0) - (guess.other.point.line or 0)
    if lines_below < 0 or verb_of(guess.writer.function) in READING_VERBS:
        return None  # it writes first, or is a lookup that only records the access
    # a write within two lines is usually lazy initialisation
    is_action = stores or lines_below > _MAX_CREATION_LINES or is_changing_name(guess.writer.function)
    evidence = (
        guess.other.evidence_at_site(f"{guess.other.action} first"),
        guess.writer.evidence_at_site(f"{guess.writer.action} a few lines further down in the same function"),
    )
    return RuleMatch(FAIR if is_action else WEAK, evidence, change, (guess.writer.point,))


def _is_direct_check(check_found: CheckedWrite) -> bool:
    """Return whether the writing function makes the check itself, without a call."""
    return check_found.writer.function == check_found.other.function and not _CALL.search(check_found.condition_text)


def _checks_presence(context: RaceContext, check_found: CheckedWrite) -> bool:
    """Return whether the reader checks presence or a flag, not an amount."""
    text = check_found.other.site_facts.text if check_found.other.site_facts else ""
    flag = context.shared_variable is not None and context.shared_variable.type.strip() == "bool"
    return bool(_PRESENCE_CHECK.search(text) or _BARE_CONDITION.match(text)) or (flag and text.startswith("return "))


def _changes_in_condition(check_found: CheckedWrite) -> bool:
    """Return whether the condition itself changes the value, as in `if (--refs == 0)`."""
    condition, here = check_found.condition, check_found.writer.site_facts
    return bool(condition and here and condition.line == here.line and _INCREMENT.search(condition.text))


def _match_check_in_worker(context: RaceContext) -> RuleMatch | None:
    """Match an error in a worker after a check of state that another call in the function changes."""
    side = context.race_sides[0] if context.race_sides else None
    worker = next((f for f in side.live_frames if _WORKER_FUNCTION.search(f.function)), None) if side else None
    if side is None or side.site_facts is None or worker is None or side.locks_held:
        return None
    condition = next(reversed(side.site_facts.conditions), None)
    checked_objects = {c.target for c in side.site_facts.calls if condition and c.line == condition.line and c.target}
    changing_calls = [
        c
        for c in side.site_facts.calls
        if c.target in checked_objects and STATE_CHANGE_VERBS.intersection(name_words(c.name)[:1])
    ]
    if condition is None or not changing_calls:
        return None
    changing_call = changing_calls[0]
    evidence = (
        side.evidence_at_site(f"`{side.site_facts.function}` fails under `if {condition.text[:60]}`"),
        side.evidence_at_site(
            f"`{changing_call.target}.{changing_call.name}` changes that state;"
            " no lock is held from the check to the change"
        )._replace(point=side.point._replace(line=changing_call.line)),
        side.evidence_at_site(f"it is called by a worker, `{worker.function}`, and workers run concurrently")._replace(
            point=point_of(worker)
        ),
    )
    change = (
        f"Call `{changing_call.name}` once before the workers start, or hold one lock from the check of"
        f" `{changing_call.target}` to its change."
    )
    return RuleMatch(FAIR, evidence, change, (side.point,), from_source=True)


RULE = Rule(
    "check-then-act",
    "publication",
    _find_check_then_act,
    "sync.Mutex around both steps; CompareAndSwap",
    "The lock is held longer.",
    general_causes=("missing-lock",),
    features=Feature.HAS_CODE | Feature.SAME_FUNCTION,
)
