"""A value is created at first use, by two actors at once.

## What it sees
From a report alone:

- Two actors in one function: one reads, the other writes at most two lines away. Confidence is higher if the function
  is named like a maker (`ensure`, `connect`, `get`, `init`).
- A function reads it first and writes it so far below that something is created in between.
- Both sides come through the same function, and one is in a maker that it called (`makeKey`, `newClient`).

With source: the write is under a check for absence (`if c.conn == nil`), or in a function called under one, and no lock
is held. Or it fills an object or map that is stored there when created. The report may have one side only. An element
of a map is `concurrent-map`.

## Why it races
Both see that it is missing, both create it, and one of the two is lost. A reader may see a pointer to an object that is
only partly written.

## Example
    func (c *Client) connect() *conn {
        if c.conn == nil { c.conn = dial() }    // two callers at once
        return c.conn
    }

## Remedy
Create it in `sync.Once` (or `sync.OnceValue`), or in the constructor. In C++ use a static local variable.

## When it is wrong
A check of a value that changes many times (a maximum, a state), or for the end of a list in a loop, is
`check-then-act`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis import rule
from deadheat.diagnosis.facts import addresses, condition_checks, locks
from deadheat.diagnosis.facts.containers import only_resizes
from deadheat.diagnosis.facts.function_names import (
    CREATING_VERBS,
    bare_name,
    is_test_file,
    is_value_method,
    without_package,
)
from deadheat.diagnosis.facts.object_origin import creation_caller, is_created_here
from deadheat.diagnosis.finding import Evidence
from deadheat.diagnosis.race_side import RaceSide, point_of
from deadheat.diagnosis.rule import EVEN, FAIR, LIKELY, STRONG, WEAK, Rule, RuleMatch

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext
    from deadheat.diagnosis.facts.code_facts import FunctionFacts, PathCondition
    from deadheat.model import Frame

_MAX_CALLERS = 3  # callers further out create other objects


def _find_lazy_initialisation(context: RaceContext) -> RuleMatch | None:
    once = "sync.Once (std::call_once, a static local)" if context.is_go else "std::call_once or a static local"
    change = f"Create {context.variable_label} with {once}, or in the constructor."
    if hit := _match_one_sided_report(context, change):
        return hit
    check = condition_checks.find_check(context) or condition_checks.find_check_by_call(context)
    if check and check.checks_existence and check.condition:
        return _match_absence_check(context, check, change)
    for matcher in (_match_creation, _match_constructor_call, _match_published_object, _match_read_then_far_write):
        if hit := matcher(context, change):
            return hit
    if (guess := condition_checks.guess_check(context)) is not None:
        return _match_near_write(context, guess, change)
    return (
        _match_concurrent_makers(context, change)
        or _match_making_function(context, change)
        or _match_called_maker(context, change)
    )


def _match_one_sided_report(context: RaceContext, change: str) -> RuleMatch | None:
    check = condition_checks.find_one_sided_check(context)
    if not check or not check.checks_existence or check.second_check:
        return None
    if condition_checks.stores_parameter_or_state(check.write_facts, check.condition.text):
        return None
    sentence = f"{check.side.action}; {check.condition_sentence} and set on line {check.write_facts.line}"
    evidence = (
        check.side.evidence_at_site(sentence),
        check.side.evidence_at_site("no lock is held in between; the other side is not in the report"),
    )
    return RuleMatch(LIKELY, evidence, change, (check.side.point,), from_source=True)


def _match_absence_check(context: RaceContext, check: condition_checks.CheckedWrite, change: str) -> RuleMatch | None:
    locks_held = locks.locks_of_both_sides(context)
    if (locks_held and any(locks_held)) or only_resizes(context, check) or _is_map_element(context, check):
        return None  # a lock on one side: double-checked-locking
    writer, other = check.writer, check.other
    evidence = (
        writer.evidence_at_site(f"{writer.action} under `{check.condition_text}`"),
        other.evidence_at_site(f"{other.action} {check.other_location}, in {other.actor.id}"),
    )
    confidence = STRONG + 0.03 if check.is_guard else STRONG + 0.04
    return RuleMatch(confidence, evidence, change, (writer.point,), from_source=True)


def _match_creation(context: RaceContext, change: str) -> RuleMatch | None:
    creation = condition_checks.find_existence_check(context)
    if not creation:
        return None
    evidence = (
        creation.writer.evidence_at_site(f"{creation.writer.action} under `{creation.condition_text}`"),
        creation.other.evidence_at_site(f"{creation.other.action} the created value in {creation.other.actor.id}"),
    )
    return RuleMatch(LIKELY + 0.05, evidence, change, (creation.writer.point,), from_source=True)


def _match_read_then_far_write(context: RaceContext, change: str) -> RuleMatch | None:
    """From a report alone: one side reads first, the other writes so far below that it creates."""
    far_write = condition_checks.guess_early_read(context)
    if not far_write or addresses.is_smaller_than_word(context):
        return None
    reader, maker, lines_below = far_write
    evidence = (
        reader.evidence_at_site(f"{reader.action} it first"),
        maker.evidence_at_site(f"{maker.action} {lines_below} lines below, with enough code in between to create it"),
    )
    return RuleMatch(FAIR + 0.05, evidence, change, (maker.point,))


def _match_near_write(context: RaceContext, guess: condition_checks.CheckedWrite, change: str) -> RuleMatch | None:
    """From a report alone: one side reads, the other writes a few lines away in the same function."""
    if addresses.stores_without_creation(context, guess.other, guess.writer):
        return None
    if addresses.is_smaller_than_word(context) or not _is_check_before_write(guess):
        return None  # a flag, or a read that is no check
    evidence = (
        guess.other.evidence_at_site(guess.other.action),
        guess.writer.evidence_at_site(f"{guess.writer.action} a few lines away in the same function"),
    )
    confidence = FAIR if condition_checks.is_in_checked_block(guess) else WEAK
    if condition_checks.is_lazy_name(guess.writer.function):
        confidence = LIKELY
    if condition_checks.is_changing_name(guess.writer.function) or _is_passed_in(context, guess):
        confidence = WEAK
    return RuleMatch(confidence, evidence, change, (guess.writer.point,))


def _is_map_element(context: RaceContext, check: condition_checks.CheckedWrite) -> bool:
    """Return whether a map element is stored: `if e.cache[key] == nil { e.cache[key] = x }`."""
    here, shared = check.writer.site_facts, context.shared_variable
    if not context.is_go or here is None or shared is None or "map[" not in shared.type:
        return False
    return any(u.writes and u.is_element and u.name == shared.name for u in here.uses)


def _is_passed_in(context: RaceContext, guess: condition_checks.CheckedWrite) -> bool:
    """Return whether a function checks what it was passed: it has no receiver and it is no package variable."""
    name = guess.writer.function
    below = (guess.writer.point.line or 0) > (guess.other.point.line or 0)
    may_be_shared = "(" in name or is_value_method(name) or condition_checks.is_lazy_name(name)
    return context.is_go and below and not may_be_shared and addresses.is_package_variable(context) is False


def _is_check_before_write(guess: condition_checks.CheckedWrite) -> bool:
    """Return whether, by code offsets, the write comes after the check above it."""
    lines_below = (guess.writer.point.line or 0) - (guess.other.point.line or 0)
    first, then = addresses.code_offset(guess.other), addresses.code_offset(guess.writer)
    return lines_below <= 0 or first is None or then is None or first <= then


def _match_constructor_call(context: RaceContext, change: str) -> RuleMatch | None:
    """Match a constructor that fills an object, called because there was none yet."""
    for maker, other in context.side_pairs if context.has_code else ():
        if not maker.writes or maker.locks_held or other.locks_held or maker.site_facts is None:
            continue
        other_functions = [(facts.path, facts.first_line) for _, facts in other.call_chain[:_MAX_CALLERS]]
        is_new_object = is_created_here(context, maker)
        # names that the line or its function writes: the object, a flag, the variable that holds it
        written_names = _names_written(maker.site_facts)
        for caller, caller_facts in maker.call_chain[1:_MAX_CALLERS]:
            leads = (caller_facts.path, caller_facts.first_line) in other_functions
            if not is_new_object and not leads:
                continue
            condition = condition_checks.existence_check_in_maker(context, caller)
            if condition is None and (leads or caller != maker.user_frames[1]):
                condition = condition_checks.existence_check_before_call(context, caller, written_names)
            if condition and not _is_map_lookup(context, condition):
                evidence = (
                    maker.evidence_at_site(f"{maker.action} an object that it creates"),
                    Evidence(f"which is created under `if {condition.text[:60]}`", point_of(caller)),
                    other.evidence_at_site(f"{other.action} it in {other.actor.id}"),
                )
                confidence = STRONG + 0.04 if leads else LIKELY + 0.05
                return RuleMatch(confidence, evidence, change, (point_of(caller),), from_source=True)
            written_names = _names_written(caller_facts)
    return None


def _is_map_lookup(context: RaceContext, condition: PathCondition) -> bool:
    """Return whether the check is for an element of a map: `price, known := c.prices[s]; !known`."""
    shared = context.shared_variable
    return shared is not None and "map[" in shared.type and f"{shared.name}[" in condition.text


def _names_written(facts: FunctionFacts) -> set[str]:
    used = (*facts.uses, *facts.stores)
    return {u.name for u in used if len(u.path) > 1 or u.name not in facts.declarations}


def _match_published_object(context: RaceContext, change: str) -> RuleMatch | None:
    """Match a function that fills a new object and stores it if there was none; others use it."""
    for maker, other in context.side_pairs if context.has_code else ():
        if not maker.site or maker.locks_held or other.locks_held or not is_created_here(context, maker):
            continue
        if condition := condition_checks.existence_check_in_maker(context, maker.site):
            evidence = (
                maker.evidence_at_site(f"{maker.action} an object that it creates"),
                maker.evidence_at_site(f"and stores under `{condition.text[:60]}`, line {condition.line}"),
                other.evidence_at_site(f"{other.action} it in {other.actor.id}"),
            )
            return RuleMatch(STRONG + 0.04, evidence, change, (maker.point,), from_source=True)
    return None


def _match_called_maker(context: RaceContext, change: str) -> RuleMatch | None:
    """Match two sides in one function, one in a maker that it called: `k == nil`, then `makeKey`."""
    for reader, maker in context.side_pairs if not context.has_code else ():
        if not maker.writes or reader.writes or reader.is_closure or maker.library_frames:
            continue
        if maker.function == reader.function or condition_checks.verb_of(maker.function) not in CREATING_VERBS:
            continue
        if not (caller := _caller_of_both(reader, maker)):
            continue
        evidence = (
            reader.evidence_at_site(reader.action),
            maker.evidence_at_site(f"{maker.action}; by its name it creates the value"),
            Evidence(f"both stacks contain `{without_package(reader.enclosing_function(caller))}`", point_of(caller)),
        )
        return RuleMatch(FAIR, evidence, change, (point_of(caller),))
    return None


def _match_making_function(context: RaceContext, change: str) -> RuleMatch | None:
    """From a Go report alone: a method calls a function that creates what another method uses."""
    for maker, reader in context.side_pairs if context.is_go and context.source is None else ():
        if caller := creation_caller(maker, reader):
            caller_name = without_package(maker.enclosing_function(caller))
            evidence = (
                maker.evidence_at_site(f"{maker.action} in a function that seems to create the value"),
                Evidence(f"`{caller_name}` leads to that call", point_of(caller)),
                reader.evidence_at_site(f"{reader.action} it further down in the same function"),
            )
            # if used only further down, it may have been stored in a map in between
            is_near = caller == maker.user_frames[1] or reader.point.line == caller.line
            return RuleMatch(EVEN if is_near else WEAK, evidence, change, (point_of(caller),))
    return None


def _caller_of_both(reader: RaceSide, maker: RaceSide) -> Frame | None:
    """Return the frame that calls the maker and, a few lines away, reads or calls the reader."""
    for caller in maker.user_frames[1:_MAX_CALLERS]:
        for frame in reader.user_frames[:2]:
            name = reader.enclosing_function(frame)
            if name != maker.enclosing_function(caller) or bare_name(name) == "main" or is_test_file(frame.file):
                continue  # tests and `main` run code concurrently on purpose
            if abs((caller.line or 0) - (frame.line or 0)) <= condition_checks.MAX_LINES_TO_WRITE:
                return caller
    return None


def _match_concurrent_makers(context: RaceContext, change: str) -> RuleMatch | None:
    """Match two actors that write on the same line of a function that is named like a maker."""
    if context.has_code or not context.in_same_function or not all(s.writes for s in context.race_sides):
        return None
    a, b = context.race_sides
    if a.point.line != b.point.line or a.is_closure or a.library_frames:
        return None
    if condition_checks.verb_of(a.function) not in CREATING_VERBS:
        return None
    evidence = (a.evidence_at_site(f"two actors create it at once: `{without_package(a.function)}`"),)
    return RuleMatch(EVEN, evidence, change, (a.point,))


RULE = Rule(
    "lazy-initialisation",
    "publication",
    _find_lazy_initialisation,
    "sync.Once",
    "One atomic load per use.",
    general_causes=("check-then-act",),
    features=rule.Feature.HAS_CODE | rule.Feature.SAME_FUNCTION | rule.Feature.MAKER_CALLED,
)
