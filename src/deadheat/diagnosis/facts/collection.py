"""All facts about a race."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.fact import Fact, FactBase
from deadheat.diagnosis.facts.lock_facts import facts_of_locks
from deadheat.diagnosis.facts.order_facts import facts_of_order
from deadheat.diagnosis.facts.report_facts import facts_of_report
from deadheat.diagnosis.facts.sharing_facts import facts_of_sharing

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

COLLECTORS = (facts_of_report, facts_of_locks, facts_of_sharing, facts_of_order)


def collect_facts(context: RaceContext) -> tuple[FactBase, list[tuple[str, str]]]:
    """The facts, and the name of every collector that failed with its error: it must not lose the other facts."""
    facts: list[Fact] = []
    crashes = []
    for collect in COLLECTORS:
        try:
            facts += collect(context)
        except Exception as error:  # noqa: BLE001 - see above
            crashes.append(
                (collect.__name__, f"{collect.__name__} failed on this report: {type(error).__name__}: {error}")
            )
    return FactBase(facts), crashes
