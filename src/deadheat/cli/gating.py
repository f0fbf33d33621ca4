"""What `gate` and `run` share: options, the baseline file, and output files."""

from __future__ import annotations

import argparse
import os
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import IO, TYPE_CHECKING

from deadheat import cli, registry
from deadheat.cli import scanning
from deadheat.cli.scan import add_ways, style_of
from deadheat.errors import DeadheatError
from deadheat.feeds import files
from deadheat.gate import baseline as lines
from deadheat.gate.baseline import Baseline, is_date
from deadheat.gate.judge import Entry, Gate
from deadheat.gate.mutes import Mute, fault, suppressions
from deadheat.render import findings as shown
from deadheat.render import verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deadheat.errors import UnreadableError
    from deadheat.feeds.walk import Entry as Document
    from deadheat.identity.races import Found
    from deadheat.render import Style
    from deadheat.render.findings import EachOnce, Finding, Findings


def formats() -> dict[str, EachOnce]:
    """Every format that shows each race once, and the formats of the gate."""
    each = {n: r for n, r in registry.renderers().items() if isinstance(r, shown.EachOnce)}
    return each | verdicts.FORMATS


def add_options(command: argparse.ArgumentParser, baseline: bool) -> None:
    group = command.add_argument_group("the baseline")
    group.add_argument(
        "--baseline",
        metavar="FILE",
        required=baseline,
        help="file of known races; need not exist yet",
    )
    group.add_argument("--update", action="store_true", help="add the races found to the baseline")
    group.add_argument(
        "--prune", action="store_true", help="with --update: remove known races that were not found"
    )
    group.add_argument("--reason", default="", metavar="TEXT", help="reason for new entries")
    group.add_argument("--owner", default="", metavar="WHO", help="owner of new entries")
    group.add_argument(
        "--expires",
        type=_date,
        default="",
        metavar="DATE",
        help="expiry date of new entries, such as 2026-12-31",
    )
    group.add_argument(
        "--mute", type=_pattern, action="append", default=[], metavar="PATTERN",
        help="mute matching races, with a --reason: race:NAME or id:RACE; may repeat",
    )  # fmt: skip
    group.add_argument(
        "--suppressions", action="append", default=[], metavar="FILE",
        help="read mutes from a ThreadSanitizer suppression file; may repeat",
    )  # fmt: skip
    output = command.add_argument_group("output")
    output.add_argument("--format", choices=sorted(formats()), default="text", help="default: text")
    output.add_argument(
        "--write", type=_target, action="append", default=[], metavar="FORMAT=FILE",
        help="also write this format to a file; may repeat",
    )  # fmt: skip
    add_ways(output)


def _date(text: str) -> str:
    if text and not is_date(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a date such as 2026-12-31")
    return text


def _pattern(text: str) -> str:
    if told := fault(text):
        raise argparse.ArgumentTypeError(told)
    return text


def _target(text: str) -> tuple[str, str]:
    form, equals, file = text.partition("=")
    if not equals or not file or form not in formats():
        raise argparse.ArgumentTypeError(f"{text!r} is not FORMAT=FILE, such as sarif=races.sarif")
    return form, file


def check(args: argparse.Namespace, command: argparse.ArgumentParser) -> None:
    """Rejects options that need another option."""
    if args.mute and not args.reason:
        command.error("--mute needs a --reason")
    if args.prune and not args.update:
        command.error("--prune needs --update")
    if args.update and not args.baseline:
        command.error("--update needs a --baseline")


class Inspection:
    """A scan that shows each race once, with or without a gate."""

    def __init__(self, args: argparse.Namespace, gated: bool, out: IO[str]) -> None:
        self._args, self._gated = args, gated
        self._style: Style = style_of(args, out)
        self._baseline = read(args) if gated else Baseline()

    def of(self, entries: Iterable[Document | UnreadableError]) -> list[Finding]:
        """Finds the races in documents; sets `read_nothing` if none could be read."""
        args = self._args
        roll = shown.Roll()
        ways = scanning.Ways(
            files.Wish(full=not args.brief, shy=args.error_stacks), args.jobs, args.quiet
        )
        scan = scanning.Scan(entries, roll.gatherer(), roll, ways)
        scan.run()
        scan.clear()
        self.failed = scan.failed
        self._gate = self._judge(scan.identity.found) if self._gated else None
        ids = self._gate.ids if self._gate else scan.identity.ids()
        self.races = [self._judged(finding) for finding in roll.races(ids)]
        return self.races

    def _judge(self, found: Found) -> Gate:
        return Gate(self._baseline, found, date.today().isoformat())

    def _judged(self, finding: Finding) -> Finding:
        if self._gate is None:
            return finding
        judgement = self._gate.judge(finding.sighting)
        return finding._replace(standing=judgement.standing, note=judgement.note)

    def tell(self, out: IO[str]) -> None:
        """Writes the findings to `out` and to all requested files, even if one of them fails."""
        known = self._gate.gone() if self._gate else []
        gone = tuple(shown.Gone(entry.race, entry.title) for entry in known)
        found = shown.Findings(self.races, gone)
        wanted = [(form, file, "w") for form, file in self._args.write]
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if self._args.format == "github" and summary:
            wanted.append(("markdown", summary, "a"))
        faults = [
            fault for form, file, mode in wanted if (fault := self._save(file, form, found, mode))
        ]
        shown.write(out, formats()[self._args.format].pieces(found, self._style))
        if faults:
            raise faults[0]

    def _save(self, file: str, form: str, found: Findings, mode: str) -> DeadheatError | None:
        style = self._style.__class__(root=self._style.root)
        try:
            with open(file, mode, encoding="utf-8") as out:
                shown.write(out, formats()[form].pieces(found, style))
        except OSError as error:
            return unwritable(file, error)
        return None

    def update(self) -> None:
        """Writes the baseline atomically."""
        assert self._gate is not None
        args = self._args
        entry = Entry(date.today().isoformat(), args.reason, args.owner, args.expires)
        sightings = [finding.sighting for finding in self.races]
        text = lines.dumps(self._gate.updated(sightings, entry, args.prune))
        path = Path(args.baseline)
        try:
            fresh = path.with_name(f"{path.name}.{os.getpid()}.tmp")
            try:
                fresh.write_bytes(text.encode("utf-8", "replace"))
                fresh.replace(path)
            finally:
                with suppress(OSError):
                    fresh.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(args.baseline, error) from error
        if not args.quiet:
            cli.complain(f"{args.baseline}: {cli.count(text.count(chr(10)), 'line')} written")

    @property
    def status(self) -> int:
        return cli.RACES if any(finding.fails for finding in self.races) else cli.NOTHING


def read(args: argparse.Namespace) -> Baseline:
    """The baseline with the mutes of the options and the suppression files."""
    known = _load(args.baseline, args.quiet or args.update)
    mutes = [Mute(pattern, args.reason, args.owner, args.expires) for pattern in args.mute]
    for file in args.suppressions:
        taken, faults = suppressions(_text(file))
        mutes += [
            mute._replace(reason=mute.reason or args.reason or f"from {file}") for mute in taken
        ]
        for told in () if args.quiet else faults:
            cli.complain(f"{file}: {told}")
    fresh = {mute.pattern: mute for mute in mutes}
    kept = [mute for mute in known.mutes if mute.pattern not in fresh]
    return Baseline(known.known, (*kept, *fresh.values()))


def _load(file: str, quiet: bool) -> Baseline:
    if not Path(file).exists():
        if not quiet:
            cli.complain(f"{file}: does not exist, so every race is new; create it with --update")
        return Baseline()
    try:
        loaded = lines.loads(_text(file))
    except lines.BadLineError as error:
        do = "correct the line, or remove it and run with --update"
        raise DeadheatError(error.what, f"{file}:{error.number}", do) from error
    stale = sum(entry.stale for entry in loaded.known)
    if stale and not quiet:
        cli.complain(
            f"{file}: {stale} races were written by another version of deadheat and are not recognised;"
            " rewrite them with --update --prune"
        )
    return loaded


def _text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        what = (error.strerror or str(error)).lower()
        raise DeadheatError(what, file, "name a readable file") from error


def unwritable(file: str, error: OSError) -> DeadheatError:
    what = f"cannot be written: {(error.strerror or str(error)).lower()}"
    return DeadheatError(what, file, "name a writable file")
