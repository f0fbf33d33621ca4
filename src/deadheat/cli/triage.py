"""`deadheat triage`: shows and records people's decisions about a race; moves decisions between databases."""

from __future__ import annotations

import argparse
import getpass
import os
import re
import sys
from contextlib import closing, nullcontext
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from deadheat import cli
from deadheat.cli import decisions, spark_and_lake
from deadheat.cli.gate import read_error, unwritable_error
from deadheat.cli.options import was_given
from deadheat.errors import DeadheatError
from deadheat.printable import format_json, visible_text
from deadheat.triage.events import SETTABLE_STATUSES, EventKind, EventSource, NewEvent, Severity, Status, format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.triage.events import Event, JsonDict
    from deadheat.triage.state import RaceState
    from deadheat.triage.store import DecisionStore

_EXAMPLES = """examples:
  deadheat triage 47d9f89a --lake races-lake                     show what was decided, and the history
  deadheat triage 47d9f89a --lake races-lake --status confirmed --assign ann --severity high --label +flaky,-new
  deadheat triage 47d9f89a --lake races-lake --fixed-in 9fceb02 --comment 'the lock covers Close too'
  deadheat triage 47d9f89a --lake races-lake --mute 30d --reason 'only with the old driver'
  deadheat triage 47d9f89a --lake races-lake --duplicate-of b1946ac9
  deadheat triage --export decisions.jsonl --lake races-lake
  deadheat triage --import decisions.jsonl --decisions postgresql://deadheat@db/decisions --upgrade

exit status: 0 shown or done, 2 wrong usage, 3 no such race, a decision that was refused, or the environment failed
"""
# "30d", "2w", "12h"
_DURATION = re.compile(r"(\d{1,5})([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}
_FOREVER, _NOBODY, _NONE = "forever", "nobody", "none"


def add_triage_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "triage",
        help="show or record people's decisions about a race",
        description="Shows or records what people have decided about a race: status, assignee, severity, labels,"
        " comments, mute, links.",
        epilog=_EXAMPLES,
    )
    command.add_argument("race", nargs="?", metavar="RACE", help="race id, alias, or at least four characters of one")
    command.add_argument("--lake", metavar="DIR", help="folder or address of the lake")
    decisions.add_decisions_option(command)
    _add_change_options(command.add_argument_group("changes of RACE, recorded together"))
    other = command.add_argument_group("all decisions")
    which = other.add_mutually_exclusive_group()
    which.add_argument("--export", metavar="FILE", help="write every decision as a line of JSON; - for standard output")
    which.add_argument("--import", dest="source", metavar="FILE", help="add decisions from such a file; - for stdin")
    which.add_argument("--returns", action="store_true", help="look in the lake for fixed races that are back")
    which.add_argument("--rebuild", action="store_true", help="derive the state of every race from its history anew")
    other.add_argument("--repo", action="append", default=[], metavar="DIR", help="with --returns: a clone of the code")
    other.add_argument("--upgrade", action="store_true", help="create or change the tables of PostgreSQL first")
    command.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    command.add_argument("--quiet", action="store_true", help="do not print what was done")
    command.set_defaults(run=run_triage, parser=command)


def _add_change_options(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--status", choices=SETTABLE_STATUSES, help="set the status")
    group.add_argument("--fixed-in", metavar="COMMIT", help="the commit of the fix; sets the status fixed")
    group.add_argument("--duplicate-of", metavar="RACE", help="the race that it is a duplicate of; sets the status")
    group.add_argument("--assign", metavar="WHO", help=f"who looks after it; {_NOBODY} for nobody")
    group.add_argument("--severity", choices=(*Severity, _NONE), help="how bad it is")
    group.add_argument("--label", action="append", default=[], metavar="+NAME,-NAME", help="add and remove labels")
    group.add_argument("--comment", metavar="TEXT", help="add a comment")
    mute = group.add_mutually_exclusive_group()
    mute.add_argument(
        "--mute",
        type=_parse_mute,
        metavar="TIME",
        help=f"until a date, for 12h, 30d or 2w, or {_FOREVER}; no build fails",
    )
    mute.add_argument("--unmute", action="store_true", help="end the mute")
    group.add_argument("--reason", metavar="TEXT", help="why, with --mute and --status")
    group.add_argument("--link", action="append", default=[], metavar="URL", help="add a link, such as to a ticket")
    group.add_argument("--unlink", action="append", default=[], metavar="URL", help="remove a link")
    group.add_argument("--actor", metavar="WHO", help="who decides; default: $DEADHEAT_ACTOR, else the user name")
    group.add_argument(
        "--idempotency-key", dest="key", metavar="TEXT", help="a repeated command with the same key changes nothing"
    )
    group.add_argument(
        "--based-on", type=cli.integer_at_least(0), metavar="N", help="fail if the field was changed after version N"
    )


def _parse_mute(text: str) -> str:
    """The end of a mute as a time; empty if there is none."""
    if text == _FOREVER:
        return ""
    try:
        if match := _DURATION.fullmatch(text):
            return format_time(datetime.now(UTC) + timedelta(hours=int(match[1]) * _HOURS[match[2]]))
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
        return format_time(day + timedelta(days=1, microseconds=-1))  # the last day counts
    except (ValueError, OverflowError):
        expected = f"a date such as 2026-12-31, 12h, 30d, 2w or {_FOREVER}"
        raise argparse.ArgumentTypeError(f"{text!r} is not {expected}") from None


def run_triage(args: argparse.Namespace) -> int:
    if not was_given(args, "reason"):
        args.reason = None  # that of a configuration file is for a baseline
    _check_options(args)
    if not args.race:
        return _run_on_all(args)
    events = [*_changes(args)]
    row = _find_in_lake(args, args.race)
    is_absent = not events and not args.upgrade and not decisions.has_decisions(args) and row is not None
    with nullcontext() if is_absent else closing(decisions.open_decisions(args, args.upgrade or None)) as store:
        race = _known_name(store, args.race, row)
        if events:
            assert store is not None
            _record(store, args, race, events)
        state, history = _read(store, race)
    _print_race(args, row, state, history)
    return cli.EXIT_NOTHING


def _check_options(args: argparse.Namespace) -> None:
    is_change = any(True for _ in _changes(args, check=False))
    if not (args.lake or args.decisions):
        args.parser.error("name a --lake, or a database with --decisions")
    if args.race and (args.export or args.source or args.returns or args.rebuild):
        args.parser.error("RACE cannot be used with --export, --import, --returns or --rebuild")
    if not args.race and is_change:
        args.parser.error("name the RACE that changes")
    if not (args.race or args.export or args.source or args.returns or args.rebuild or args.upgrade):
        args.parser.error("name a RACE, or use --export, --import, --returns, --rebuild or --upgrade")
    if args.returns and not args.lake:
        args.parser.error("--returns needs a --lake")
    if args.mute is not None and not (args.reason or "").strip():
        args.parser.error("--mute needs a --reason")
    if args.status not in (None, Status.FIXED) and args.fixed_in:
        args.parser.error(f"--fixed-in cannot be used with --status {args.status}")
    if args.status not in (None, Status.DUPLICATE) and args.duplicate_of:
        args.parser.error(f"--duplicate-of cannot be used with --status {args.status}")
    if args.fixed_in and args.duplicate_of:
        args.parser.error("--fixed-in cannot be used with --duplicate-of")
    if args.status == Status.DUPLICATE and not args.duplicate_of:
        args.parser.error("--status duplicate needs --duplicate-of RACE")


def _changes(args: argparse.Namespace, check: bool = True) -> Iterator[tuple[EventKind, JsonDict]]:
    """The kind and payload of each change that the options ask for."""
    reason = {"reason": args.reason} if args.reason else {}
    if args.duplicate_of:
        yield EventKind.STATUS, {"status": Status.DUPLICATE.value, "race": args.duplicate_of, **reason}
    elif args.status or args.fixed_in:
        commit = {"commit": args.fixed_in} if args.fixed_in else {}
        yield EventKind.STATUS, {"status": args.status or Status.FIXED.value, **commit, **reason}
    if args.assign is not None:
        yield EventKind.ASSIGN, {"assignee": None if args.assign in ("", _NOBODY) else args.assign}
    if args.severity:
        yield EventKind.SEVERITY, {"severity": None if args.severity == _NONE else args.severity}
    if args.label:
        yield EventKind.LABELS, _labels(args, check)
    if args.mute is not None:
        yield EventKind.MUTE, {"reason": args.reason, **({"until": args.mute} if args.mute else {})}
    if args.unmute:
        yield EventKind.UNMUTE, {}
    for url in args.link:
        yield EventKind.LINK, {"url": url}
    for url in args.unlink:
        yield EventKind.UNLINK, {"url": url}
    if args.comment is not None:
        yield EventKind.COMMENT, {"text": args.comment}


def _labels(args: argparse.Namespace, check: bool) -> JsonDict:
    names = [name.strip() for text in args.label for name in text.split(",") if name.strip()]
    if check and not all(name[0] in "+-" and name[1:].strip() for name in names):
        args.parser.error("--label needs a sign before each name, as in --label +flaky,-new")
    return {
        key: [name[1:].strip() for name in names if name[0] == sign]
        for key, sign in (("add", "+"), ("remove", "-"))
        if any(name[0] == sign for name in names)
    }


def _find_in_lake(args: argparse.Namespace, name: str) -> JsonDict | None:
    """The race in the lake; None without a lake, or if only the decisions may know it."""
    if not args.lake:
        return None
    with spark_and_lake.requires_extra("lake"):
        from deadheat.lake import queries
    try:
        return queries.find_race(spark_and_lake.open_lake(args.lake).require(), name)
    except DeadheatError:
        # sightings may have been removed; the decisions stay
        if not decisions.has_decisions(args):
            raise
        with closing(decisions.open_decisions(args)) as store:
            if not store.history(name):
                raise
        return None


def _known_name(store: DecisionStore | None, name: str, row: JsonDict | None) -> str:
    """The id of a race; the store is told its aliases."""
    if row is None:
        assert store is not None
        matches = [race for race in store.states() if len(name) >= 4 and race.startswith(name)]
        return matches[0] if len(matches) == 1 and not store.history(name) else name
    if store is not None:
        store.set_aliases({row["race"]: row["aliases"]})
    return str(row["race"])


def _record(
    store: DecisionStore, args: argparse.Namespace, race: str, changes: list[tuple[EventKind, JsonDict]]
) -> None:
    actor = args.actor or _actor()
    events = []
    for number, (kind, payload) in enumerate(changes):
        if "race" in payload:
            row = _find_in_lake(args, payload["race"])
            payload = {**payload, "race": _known_name(store, payload["race"], row)}
        event = NewEvent(race, kind, payload, actor, EventSource.CLI, based_on=args.based_on)
        if args.key:
            event = NewEvent(race, kind, payload, actor, EventSource.CLI, f"{args.key} {number}", args.based_on)
        events.append(event)
    store.record_all(events)


def _actor() -> str:
    try:
        return os.environ.get("DEADHEAT_ACTOR") or getpass.getuser()
    except (KeyError, OSError):
        raise DeadheatError("the user has no name", "--actor", "name who decides with DEADHEAT_ACTOR") from None


def _read(store: DecisionStore | None, race: str) -> tuple[RaceState, list[Event]]:
    if store is None:
        from deadheat.triage.state import RaceState

        return RaceState(race), []
    return store.state(race), store.history(race)


# -- the mutes of `gate` ----------------------------------------------------------------------------


def mute_races(args: argparse.Namespace, reason: str, owner: str, expires: str) -> int:
    """Mutes the races `args.ids`; the owner becomes their assignee."""
    until = {"until": _parse_mute(expires)} if expires else {}
    changes = [(EventKind.MUTE, {"reason": reason, **until})]
    if owner:
        changes.append((EventKind.ASSIGN, {"assignee": owner}))
    return _change_races(args, changes, "muted")


def unmute_races(args: argparse.Namespace) -> int:
    return _change_races(args, [(EventKind.UNMUTE, {})], "no longer muted")


def _change_races(args: argparse.Namespace, changes: list[tuple[EventKind, JsonDict]], done: str) -> int:
    with closing(decisions.open_decisions(args)) as store:
        races = [_known_name(store, name, _find_in_lake(args, name)) for name in args.ids]
        actor = _actor()
        store.record_all([NewEvent(race, *change, actor, EventSource.CLI) for race in races for change in changes])
    for race in () if args.quiet else races:
        cli.print_to_stderr(f"{race}: {done}")
    return cli.EXIT_NOTHING


# -- output -----------------------------------------------------------------------------------------


def _print_race(args: argparse.Namespace, row: JsonDict | None, state: RaceState, history: list[Event]) -> None:
    if args.format == "json":
        fields = state.to_json() | {"is_muted": state.is_muted(datetime.now(UTC))}
        title = {"title": row["title"]} if row else {}
        print(format_json({**title, **fields, "history": [event.to_json() for event in history]}, indent=1))
        return
    if args.quiet:
        return
    for line in _race_lines(row, state, history):
        print(visible_text(line))


def _race_lines(row: JsonDict | None, state: RaceState, history: list[Event]) -> Iterator[str]:
    yield " ".join(["race", state.race, *([row["title"]] if row else [])])
    who = f" ({state.status_actor}, {state.status_at:%Y-%m-%d})" if state.status_at else ""
    reason = f": {state.status_reason}" if state.status_reason else ""
    yield f"status     {decisions.describe_status(state)}{who}{reason}"
    mute = ""
    if state.mute is not None:
        is_over = not state.is_muted(datetime.now(UTC))
        mute = f"{decisions.describe_mute(state)} ({state.mute.actor}{', expired' if is_over else ''})"
    facts = [
        ("assignee", state.assignee), ("severity", state.severity), ("labels", ", ".join(state.labels)), ("mute", mute),
        *(("link", f"{link.url} {link.title}".strip()) for link in state.links),
    ]  # fmt: skip
    for label, text in facts:
        if text:
            yield f"{label:10} {text}"
    for comment in state.comments:
        edited = ", edited" if comment.edited_at else ""
        yield f"comment    {comment.actor}, {comment.at:%Y-%m-%d %H:%M}{edited}: {comment.text}"
    if history:
        yield "history"
    for event in history:
        yield f"  {event.at:%Y-%m-%d %H:%M}  {event.actor}  {_describe_event(event)}"


def _describe_event(event: Event) -> str:
    """`status fixed commit 9fceb02`; the texts of comments are not repeated."""
    payload = event.payload
    if event.kind is EventKind.BACK:
        sighting = payload["sighting"]
        where = " ".join(str(sighting[key]) for key in ("commit", "run", "uri") if key in sighting)
        return f"back: sighted {sighting['observed_at'][:16].replace('T', ' ')} {where}".rstrip()
    hidden = ("text", "comment") if "comment" in event.kind else (event.kind.value, "assignee")
    first = [_describe_value(payload[key]) for key in hidden[-2:] if key in payload and "comment" not in event.kind]
    words = [f"{key} {_describe_value(value)}" for key, value in payload.items() if key not in hidden]
    return f"{event.kind.value.replace('-', ' ')} {', '.join(first + words)}".rstrip()


def _describe_value(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else "nobody" if value is None else str(value)


# -- all decisions ----------------------------------------------------------------------------------


def _run_on_all(args: argparse.Namespace) -> int:
    with closing(decisions.open_decisions(args, args.upgrade or None)) as store:
        if args.export:
            _export(args, store)
        elif args.source:
            _import(args, store)
        elif args.returns:
            lake = spark_and_lake.open_lake(args.lake).require()
            back = decisions.record_returns(store, lake, args.repo)
            _print_done(args, f"{cli.format_count(len(back), 'fixed race')} back")
            for state in back:
                _print_done(args, f"{state.race}: {decisions.describe_status(state)}")
        elif args.rebuild:
            store.rebuild()
            _print_done(args, f"{cli.format_count(len(store.states()), 'state')} derived")
        else:
            _print_done(args, "the tables are up to date")
    return cli.EXIT_NOTHING


def _print_done(args: argparse.Namespace, text: str) -> None:
    if not args.quiet:
        cli.print_to_stderr(text)


def _export(args: argparse.Namespace, store: DecisionStore) -> None:
    from deadheat.triage.transfer import export_lines

    lines = (f"{line}\n" for line in export_lines(store))
    if args.export == "-":
        sys.stdout.writelines(lines)
        return
    try:
        with open(args.export, "w", encoding="ascii") as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise unwritable_error(args.export, error) from error


def _import(args: argparse.Namespace, store: DecisionStore) -> None:
    from deadheat.triage.transfer import import_lines

    try:
        with nullcontext(sys.stdin.buffer) if args.source == "-" else open(args.source, "rb") as file:
            new, count = import_lines(store, file, args.source)
    except OSError as error:
        raise read_error(args.source, error) from error
    _print_done(args, f"{args.source}: {cli.format_count(count, 'decision')}, {new} of them new")
