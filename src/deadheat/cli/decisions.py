"""Decisions about races for the commands that use them: the database, states by race, and the judgement of a gate."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.baseline.judgement import GateJudgement, GateStanding
from deadheat.cli import spark_and_lake
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from deadheat.lake.tables import Lake
    from deadheat.triage.state import RaceState
    from deadheat.triage.store import DecisionStore

DATABASE_NAME = "triage.sqlite"
VARIABLE = "DEADHEAT_DECISIONS"


def add_decisions_option(command: argparse._ActionsContainer, default: str = f"LAKE/{DATABASE_NAME}") -> None:
    command.add_argument(
        "--decisions", default=os.environ.get(VARIABLE) or None, metavar="FILE",
        help="database of people's decisions: a SQLite file or postgresql://USER@HOST/NAME;"
        f" default: ${VARIABLE}, else {default}",
    )  # fmt: skip


def database_address(args: argparse.Namespace) -> str | None:
    """The address of the decisions; None if neither it nor a lake in a folder is named."""
    if args.decisions:
        return str(args.decisions)
    lake = getattr(args, "lake", None)
    if not lake or "://" in lake:
        return None
    return str(Path(lake) / DATABASE_NAME)


def has_decisions(args: argparse.Namespace) -> bool:
    """Whether there is a database to read. SQLAlchemy is not imported for this."""
    address = database_address(args)
    return address is not None and ("://" in address or Path(address).exists())


def open_decisions(args: argparse.Namespace, upgrade: bool | None = None) -> DecisionStore:
    """Opens the database of the options; a SQLite file is created."""
    address = database_address(args)
    if address is None:
        where = str(getattr(args, "lake", None) or "--decisions")
        remedy = f"name the database with --decisions or {VARIABLE}"
        raise DeadheatError("a SQLite file cannot be beside this lake", where, remedy)
    with spark_and_lake.requires_extra("postgres" if address.startswith("postgres") else "triage"):
        from deadheat.triage.store import DecisionStore

        return DecisionStore.open(address, upgrade=upgrade)


class KnownDecisions:
    """The states of all races with decisions, by any of their names."""

    def __init__(self, states: Mapping[str, RaceState], aliases: Mapping[str, str]) -> None:
        from deadheat.triage.state import duplicate_roots

        self._states, self._aliases = states, aliases
        self._roots = duplicate_roots(states)

    def state_of(self, names: Iterable[str]) -> RaceState | None:
        """The state of the race with one of these names."""
        resolved = (self._aliases.get(name, name) for name in names)
        return next((self._states[race] for race in resolved if race in self._states), None)

    def root_of(self, state: RaceState) -> RaceState | None:
        """The state of the race that a duplicate is a duplicate of; None if it has no decisions."""
        return self._states.get(self._roots.get(state.race, state.duplicate_of or state.race))


def load_decisions(args: argparse.Namespace) -> KnownDecisions | None:
    """What has been decided; None if there is no database."""
    if not has_decisions(args):
        if args.decisions:
            raise DeadheatError("there is no such database", args.decisions, "`deadheat triage` creates it")
        return None
    store = open_decisions(args)
    try:
        return KnownDecisions(store.states(), store.aliases())
    finally:
        store.close()


def state_summary(state: RaceState | None) -> dict[str, Any] | None:
    """The columns of a state that lists of races have, as JSON."""
    if state is None:
        return None
    fields = state.to_json()
    names = ("status", "status_reason", "fixed_in", "back", "duplicate_of", "assignee", "severity", "labels", "mute")
    now = datetime.now(UTC)
    more = {"is_muted": state.is_muted(now), "comments": len(state.comments), "description": describe_state(state, now)}
    return {name: fields[name] for name in names} | more


def describe_state(state: RaceState, now: datetime) -> str:
    """`in progress, assigned to bob, high, muted until 2026-12-31: known noise`."""
    parts = [describe_status(state)]
    parts += [f"assigned to {state.assignee}"] if state.assignee else []
    parts += [state.severity] if state.severity else []
    parts += [", ".join(state.labels)] if state.labels else []
    parts += [describe_mute(state)] if state.is_muted(now) else []
    return ", ".join(parts)


def describe_status(state: RaceState) -> str:
    """`fixed in 9fceb02`, `duplicate of 47d9f89a0b1c2d3e`, `won't fix`."""
    if state.back is not None:
        place = state.back.get("commit") or state.back.get("run") or ""
        return f"back, sighted {state.back['observed_at'][:10]}{f' at {place[:12]}' if place else ''}"
    name = {"wont-fix": "won't fix"}.get(state.status, state.status.replace("-", " "))
    if state.duplicate_of:
        return f"{name} of {state.duplicate_of}"
    return f"{name} in {state.fixed_in[:12]}" if state.fixed_in else name


def describe_mute(state: RaceState) -> str:
    assert state.mute is not None
    until = f" until {state.mute.until:%Y-%m-%d}" if state.mute.until else ""
    return f"muted{until}: {state.mute.reason}"


# -- the gate ---------------------------------------------------------------------------------------


class GateDecisions:
    """Judges races by decisions: accepted ones pass, fixed ones that come back fail."""

    def __init__(self, known: KnownDecisions, contains_fix: Callable[[str], bool | None], now: datetime) -> None:
        self._known, self._contains_fix, self._now = known, contains_fix, now

    def judge(self, names: Iterable[str]) -> GateJudgement | None:
        """The judgement of the race with one of these names; None leaves it to the baseline."""
        state = self._known.state_of(names)
        if state is None:
            return None
        if state.is_muted(self._now):
            return GateJudgement(GateStanding.MUTED, describe_mute(state))
        if state.status in ("wont-fix", "not-a-bug"):
            return GateJudgement(GateStanding.MUTED, _describe_decision(state))
        if state.status == "duplicate":
            root = self._known.root_of(state)
            judgement = self._judge_fixed(root) if root else None
            return judgement or GateJudgement(GateStanding.MUTED, _describe_decision(state))
        return self._judge_fixed(state)

    def _judge_fixed(self, state: RaceState) -> GateJudgement | None:
        if state.status not in ("fixed", "back"):
            return None
        fix = f"fixed in {state.fixed_in[:12]}" if state.fixed_in else "fixed"
        if state.fixed_in and self._contains_fix(state.fixed_in) is False:
            return GateJudgement(GateStanding.KNOWN, f"{fix}, which the code of this run does not contain")
        since = f" on {state.fixed_at:%Y-%m-%d}" if state.fixed_at else ""
        return GateJudgement(GateStanding.BACK, f"declared {fix}{since}")


def _describe_decision(state: RaceState) -> str:
    """`won't fix, says ann: only in the test`."""
    return f"{describe_status(state)}, says {state.status_actor}" + (
        f": {state.status_reason}" if state.status_reason else ""
    )


@contextmanager
def gate_decisions(args: argparse.Namespace, run_commit: str) -> Iterator[GateDecisions | None]:
    """The decisions for a gate, and the clones that tell whether this run contains a fix; None without decisions."""
    if (known := load_decisions(args)) is None:
        yield None
        return
    from deadheat.repo.ancestry import fix_finder
    from deadheat.repo.git import GitReader

    with ExitStack() as stack:
        clones = []
        try:
            clones += [stack.enter_context(GitReader(path)) for path in args.repo]
        except DeadheatError as error:  # the dossiers do without the code, too
            cli.print_to_stderr(f"{error}; a fix counts as part of the code that ran")
        find = fix_finder(clones)
        # the code that ran is usually the one that is checked out
        commit = run_commit or next((clone.head_commit for clone in clones if clone.head_commit), "")
        yield GateDecisions(known, lambda fix: find(fix, commit) if commit else None, datetime.now(UTC))


# -- after an ingest --------------------------------------------------------------------------------


def record_returns(store: DecisionStore, lake: Lake, repos: Iterable[str] = ()) -> list[RaceState]:
    """Tells the store about the races of a lake; returns the fixed races that are back."""
    from deadheat.lake import queries
    from deadheat.repo.ancestry import fix_finder
    from deadheat.repo.git import GitReader
    from deadheat.triage.returns import record_sightings

    rows = queries.races_with_commits(lake)
    with ExitStack() as stack:
        clones = [stack.enter_context(GitReader(path)) for path in repos]
        return record_sightings(
            store, rows, fix_finder(clones),
            lambda commits: queries.first_sightings_of_commits(lake, commits),
            lambda race, commit, at: queries.sighting_at(lake, dict(race), commit, at),
        )  # fmt: skip


def report_returns(args: argparse.Namespace, lake: Lake) -> None:
    """After an ingest: records which fixed races are back, and names them on standard error.

    A fault of the database does not change the status of the command: the sightings are in the lake.
    """
    if not has_decisions(args):
        return
    try:
        store = open_decisions(args)
        try:
            back = record_returns(store, lake)
        finally:
            store.close()
    except DeadheatError as error:
        cli.print_to_stderr(f"{error}; `deadheat triage --returns` looks for fixed races that are back")
        return
    for state in back:
        cli.print_to_stderr(f"race {state.race} was fixed and is {describe_status(state)}")
