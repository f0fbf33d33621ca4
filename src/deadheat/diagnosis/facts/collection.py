"""All facts about a race."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.diagnosis.facts.fact import FactBase
from deadheat.diagnosis.facts.lock_facts import facts_of_locks
from deadheat.diagnosis.facts.order_facts import facts_of_order
from deadheat.diagnosis.facts.report_facts import facts_of_report
from deadheat.diagnosis.facts.sharing_facts import facts_of_sharing

if TYPE_CHECKING:
    from deadheat.diagnosis.context import RaceContext

COLLECTORS = (facts_of_report, facts_of_locks, facts_of_sharing, facts_of_order)


def collect_facts(context: RaceContext) -> FactBase:
    return FactBase(fact for collect in COLLECTORS for fact in collect(context))
