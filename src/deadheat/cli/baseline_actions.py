"""`deadheat gate mute`, `unmute`, `note` and `list`: edit and list the entries of a baseline file."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deadheat import baseline as lines
from deadheat import cli
from deadheat.baseline.editing import BaselineText, EntryFields
from deadheat.cli import decisions, triage
from deadheat.cli.gate import parse_expiry, read_error, write_baseline
from deadheat.cli.options import was_given
from deadheat.errors import DeadheatError
from deadheat.printable import format_json, visible_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from deadheat.baseline import KnownRace, Mute

    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]

_NOTE_EXAMPLES = """examples:
  deadheat gate note 47d9f89a --baseline races.jsonl --reason 'SHOP-12, fixed in 2.4' --owner @cart
  deadheat gate note 47d9f89a --baseline races.jsonl --expires 2026-12-31

exit status: 0 done, 2 wrong usage, 3 no such race, or the baseline cannot be read or written
"""
_MUTE_EXAMPLES = """examples:
  deadheat gate mute 47d9f89a --baseline races.jsonl --reason 'only in the test' --expires 2026-12-31
  deadheat gate mute 'race:vendor/github.com/old/lib' --baseline races.jsonl --reason 'upstream 77'

  deadheat gate mute 47d9f89a --lake races-lake --reason 'only in the test'    a decision beside the lake

exit status: 0 done, 2 wrong usage, 3 no such race, or the baseline or the decisions cannot be read or written
"""
_UNMUTE_EXAMPLES = """examples:
  deadheat gate unmute 47d9f89a --baseline races.jsonl
  deadheat gate unmute 47d9f89a --lake races-lake

exit status: 0 done, 2 wrong usage, 3 no such mute, or the baseline cannot be read or written
"""
_LIST_EXAMPLES = """examples:
  deadheat gate list --baseline races.jsonl
  deadheat gate list --baseline races.jsonl --format jsonl

exit status: 0 done, also if there is no entry, 2 wrong usage, 3 the baseline cannot be read
"""


def add_gate_note_command(commands: _Commands) -> None:
    command = commands.add_parser(
        "gate note",
        description="Changes reason, owner or expiry date of known races, and nothing else in the baseline.",
        epilog=_NOTE_EXAMPLES,
    )
    _add_names(command, "ID", "race id, a former id, or at least the first six digits of one")
    _add_entry_options(command)
    command.set_defaults(run=run_note, parser=command)


def add_gate_mute_command(commands: _Commands) -> None:
    command = commands.add_parser(
        "gate mute",
        description="Mutes races: the gate does not fail for them, and shows them with the reason.",
        epilog=_MUTE_EXAMPLES,
    )
    _add_names(command, "ID", "race id, at least its first six digits, or a pattern such as race:NAME")
    _add_entry_options(command, or_decisions=True)
    command.set_defaults(run=run_mute, parser=command)


def add_gate_unmute_command(commands: _Commands) -> None:
    command = commands.add_parser(
        "gate unmute", description="Removes mutes from the baseline.", epilog=_UNMUTE_EXAMPLES
    )
    _add_names(command, "ID", "race id, at least its first six digits, or the pattern of a mute")
    _add_baseline_option(command, or_decisions=True)
    command.add_argument("--quiet", action="store_true", help="do not print what was done")
    command.set_defaults(run=run_unmute, parser=command)


def add_gate_list_command(commands: _Commands) -> None:
    command = commands.add_parser(
        "gate list", description="Lists the known races and the mutes of a baseline.", epilog=_LIST_EXAMPLES
    )
    _add_baseline_option(command, "the baseline to list")
    command.add_argument("--format", choices=("text", "json", "jsonl"), default="text", help="default: text")
    command.set_defaults(run=run_list, parser=command)


def _add_names(command: argparse.ArgumentParser, metavar: str, help_text: str) -> None:
    command.add_argument("ids", nargs="+", metavar=metavar, help=help_text)


def _add_baseline_option(
    command: argparse.ArgumentParser, help_text: str = "the baseline to edit", or_decisions: bool = False
) -> None:
    command.add_argument("--baseline", metavar="FILE", required=not or_decisions, help=help_text)
    if or_decisions:
        command.add_argument("--lake", metavar="DIR", help="change the decisions beside this lake, not a baseline")
        decisions.add_decisions_option(command)


def _add_entry_options(command: argparse.ArgumentParser, or_decisions: bool = False) -> None:
    _add_baseline_option(command, or_decisions=or_decisions)
    command.add_argument("--reason", metavar="TEXT", help="why it is accepted")
    command.add_argument("--owner", metavar="WHO", help="who is responsible")
    command.add_argument(
        "--expires", type=parse_expiry, metavar="DATE", help="last day on which it counts, such as 2026-12-31, or never"
    )
    command.add_argument("--quiet", action="store_true", help="do not print what was done")


def run_note(args: argparse.Namespace) -> int:
    fields = EntryFields(args.reason, args.owner, args.expires)
    if not fields.to_json():
        args.parser.error("nothing to change: give --reason, --owner or --expires")
    text = _read_baseline(args.baseline)
    done = []
    for entry in [text.require_race(name) for name in args.ids]:
        text.set_race_fields(entry.race, fields)
        done.append(f"{', '.join(fields.to_json())} of {_describe(entry)} set")
    return _write(args, text, done)


def run_mute(args: argparse.Namespace) -> int:
    if not (args.reason or "").strip():
        args.parser.error("a mute needs a --reason")
    if _changes_decisions(args):
        return triage.mute_races(args, args.reason, args.owner or "", args.expires or "")
    text = _read_baseline(args.baseline, may_be_missing=True)
    fields = EntryFields(args.reason, args.owner, args.expires)
    done = []
    for pattern, is_known in [text.mute_pattern(name) for name in args.ids]:
        is_new = text.set_mute(pattern, fields)
        note = "" if is_known else ", which is not in the baseline yet"
        done.append(f"{pattern}{note}: {'muted' if is_new else 'was muted before; its fields are set'}")
    return _write(args, text, done)


def _changes_decisions(args: argparse.Namespace) -> bool:
    """Whether a mute is a decision, as the command line says, or an entry of the baseline."""
    is_decision = bool(args.lake) or was_given(args, "decisions")
    if is_decision and was_given(args, "baseline"):
        args.parser.error("--baseline cannot be used with --lake or --decisions")
    if not is_decision and not args.baseline:
        args.parser.error("name a --baseline, or the --lake of the decisions")
    if is_decision and (pattern := next((name for name in args.ids if ":" in name), None)):
        args.parser.error(f"{pattern}: only a baseline has patterns; name a race")
    return is_decision


def run_unmute(args: argparse.Namespace) -> int:
    if _changes_decisions(args):
        return triage.unmute_races(args)
    text = _read_baseline(args.baseline)
    mutes = [text.require_mute(name) for name in args.ids]
    for mute in mutes:
        text.remove_mute(mute)
    return _write(args, text, [f"{mute.pattern}: no longer muted" for mute in mutes])


def _write(args: argparse.Namespace, text: BaselineText, done: list[str]) -> int:
    write_baseline(args.baseline, text.to_bytes())
    for line in () if args.quiet else done:
        cli.print_to_stderr(f"{args.baseline}: {line}")
    return cli.EXIT_NOTHING


def _read_baseline(file: str, may_be_missing: bool = False) -> BaselineText:
    try:
        data = Path(file).read_bytes() if Path(file).exists() or not may_be_missing else b""
        return BaselineText(data, file)
    except OSError as error:
        raise read_error(file, error) from error
    except lines.BaselineLineError as error:
        raise DeadheatError(error.what, f"{file}:{error.number}", "correct the line, or remove it") from error


def _describe(entry: KnownRace) -> str:
    return f"{entry.race} ({entry.title})" if entry.title else entry.race


def run_list(args: argparse.Namespace) -> int:
    baseline = _read_baseline(args.baseline).baseline
    rows = list(_entry_rows(baseline.known, baseline.mutes, date.today().isoformat()))
    if args.format == "json":
        print(format_json(rows, indent=1))
        return cli.EXIT_NOTHING
    for row in rows:
        print(format_json(row) if args.format == "jsonl" else visible_text(_row_line(row)))
    if args.format == "text":
        counts = (
            f"{cli.format_count(len(baseline.known), 'known race')}, {cli.format_count(len(baseline.mutes), 'mute')}"
        )
        expired = sum(row["standing"] == "expired" for row in rows)
        print(f"{counts}, {expired} of them expired" if expired else counts)
    return cli.EXIT_NOTHING


def _entry_rows(known: tuple[KnownRace, ...], mutes: tuple[Mute, ...], today: str) -> Iterator[dict[str, Any]]:
    for mute in mutes:
        fields = {"mute": mute.pattern, "race": None, "title": None, "since": None}
        yield fields | _shared_fields(mute, "muted", today)
    for entry in known:
        fields = {"mute": None, "race": entry.race, "title": entry.title, "since": entry.since or None}
        yield fields | _shared_fields(entry, "known", today) | {"merged": list(entry.merged)}


def _shared_fields(entry: KnownRace | Mute, standing: str, today: str) -> dict[str, Any]:
    is_expired = bool(entry.expires) and entry.expires < today
    return {
        "standing": "expired" if is_expired else standing,
        "reason": entry.reason,
        "owner": entry.owner,
        "expires": entry.expires or None,
    }


def _row_line(row: dict[str, Any]) -> str:
    name = row["mute"] or f"{row['race']}  {row['title']}".rstrip()
    until = f"until {row['expires']}" if row["expires"] else ""
    details = ", ".join(filter(None, (row["reason"], row["owner"], until)))
    return f"{row['standing']:7}  {name}" + (f"  ({details})" if details else "")
