"""A check and the action that depends on it are not one step.

## What it sees
Two actors in one function that changes state (`Take`, `Reserve`): one reads, the other writes some lines further down.

With source: the write depends on a condition on the same variable (`if v > max { max = v }`).

- The condition does not ask whether the value exists at all. A parameter or state that is stored if there is none
  (`owner = guest`) is claimed, not created.
- The check or the write may be in callees (`if r.free() { r.assign(guest) }`) that ask whether it is present or taken.
- The report may have one side only, if the code of that side shows both steps.

Not matched: a slice that is only grown, cut or sorted under the check (`concurrent-slice`), and `if (--refs == 0)`,
which is one step and needs an atomic.

## Why it races
Another actor can act between the check and the action. Even if each step is atomic, the two together are not.

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

from deadheat.diagnosis.facts import addresses, condition_checks, locks
from deadheat.diagnosis.facts.containers import only_resizes, stores_at_counter
from deadheat.diagnosis.facts.function_names import READING_VERBS, STATE_CHANGE_VERBS, name_words
from deadheat.diagnosis.finding import Evidence
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
    if hit := _match_one_sided_report(context, change):
        return hit
    check = condition_checks.find_check(context) or condition_checks.find_check_by_call(context)
    if check and not check.checks_existence and check.condition:
        locks_held = locks.locks_of_both_sides(context)
        if (locks_held and any(locks_held)) or _changes_in_condition(check) or only_resizes(context, check):
            return None
        writer, other = check.writer, check.other
        evidence = (
            writer.evidence_at_site(f"{writer.action} under `{check.condition_text}`"),
            other.evidence_at_site(f"{other.action} {check.other_location}, in {other.actor.id}"),
        )
        # a check in another function may not be the one that this write depends on
        is_direct = writer.function == other.function and not _CALL.search(check.condition_text)
        certainty = STRONG if is_direct or _checks_presence(context, check) else EVEN
        return RuleMatch(certainty, evidence, change, (writer.point,), from_source=True)
    return _match_write_below_read(context, change)


def _match_one_sided_report(context: RaceContext, change: str) -> RuleMatch | None:
    check = condition_checks.find_one_sided_check(context)
    if check is None or check.second_check or stores_at_counter(check.write_facts):
        return None
    if check.checks_existence and not condition_checks.stores_parameter_or_state(
        check.write_facts, check.condition.text
    ):
        return None
    sentence = f"{check.side.action}; {check.condition_sentence} and set on line {check.write_facts.line}"
    evidence = (
        check.side.evidence_at_site(sentence),
        check.side.evidence_at_site("no lock is held in between; the other side is not in the report"),
    )
    return RuleMatch(LIKELY, evidence, change, (check.side.point,), from_source=True)


def _match_write_below_read(context: RaceContext, change: str) -> RuleMatch | None:
    """From a report alone: one side reads, the other writes further down in the same function."""
    guess = condition_checks.guess_check(context)
    stores = guess is not None and addresses.stores_without_creation(context, guess.other, guess.writer)
    if guess is None or (condition_checks.is_lazy_name(guess.writer.function) and not stores):
        return None
    lines_below = (guess.writer.point.line or 0) - (guess.other.point.line or 0)
    if lines_below < 0 or condition_checks.verb_of(guess.writer.function) in READING_VERBS:
        return None  # it writes first, or is a lookup that only records the access
    # a write within two lines is usually lazy initialisation
    is_action = stores or lines_below > _MAX_CREATION_LINES or condition_checks.is_changing_name(guess.writer.function)
    evidence = (
        guess.other.evidence_at_site(f"{guess.other.action} first"),
        guess.writer.evidence_at_site(f"{guess.writer.action} a few lines further down in the same function"),
    )
    return RuleMatch(FAIR if is_action else WEAK, evidence, change, (guess.writer.point,))


def _checks_presence(context: RaceContext, check: condition_checks.CheckedWrite) -> bool:
    """Return whether the reader checks presence or a flag, not an amount."""
    text = check.other.site_facts.text if check.other.site_facts else ""
    flag = context.shared_variable is not None and context.shared_variable.type.strip() == "bool"
    return bool(_PRESENCE_CHECK.search(text) or _BARE_CONDITION.match(text)) or (flag and text.startswith("return "))


def _changes_in_condition(check: condition_checks.CheckedWrite) -> bool:
    """Return whether the condition itself changes the value, as in `if (--refs == 0)`."""
    condition, here = check.condition, check.writer.site_facts
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
        Evidence(
            f"`{changing_call.target}.{changing_call.name}` changes that state;"
            " no lock is held from the check to the change",
            side.point._replace(line=changing_call.line),
        ),
        Evidence(f"it is called by a worker, `{worker.function}`, and workers run concurrently", point_of(worker)),
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
