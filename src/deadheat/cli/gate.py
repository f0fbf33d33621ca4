"""`deadheat gate`: fails on races that are not in the baseline; also the options and steps that `run` shares."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import IO, TYPE_CHECKING

from deadheat import baseline as lines
from deadheat import cli, plugins
from deadheat.api import ReadOptions
from deadheat.baseline import Baseline, Mute, is_date, parse_suppressions, pattern_error
from deadheat.baseline.editing import EntryFields
from deadheat.baseline.judgement import BaselineGate, GateStanding, NewEntryDetails
from deadheat.baseline.test_runs import TestRunWatcher
from deadheat.cli import decisions, dossiers
from deadheat.cli import scan as cli_scan
from deadheat.cli.options import was_given
from deadheat.cli.scan import add_scan_options, style_from_options
from deadheat.codeowners import owners_by_rule
from deadheat.errors import DeadheatError
from deadheat.output import findings as shown
from deadheat.output import gate_json
from deadheat.output.findings import file_from_root
from deadheat.path_maps import map_sighting
from deadheat.sources import file_listing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from deadheat.baseline.judgement import GateJudgement
    from deadheat.cli.configuration import ConfigurationFile
    from deadheat.errors import UnreadableError
    from deadheat.grouping.races import GroupingFacts
    from deadheat.model import Sighting
    from deadheat.output import OutputStyle
    from deadheat.output.findings import OncePerRaceFormat, RaceFinding, RaceFindings
    from deadheat.sources.file_listing import FileEntry as Document


def gate_formats() -> dict[str, OncePerRaceFormat]:
    """Every format that shows each race once, and the formats of the gate."""
    race_formats = {
        name: output_format
        for name, output_format in plugins.output_formats().items()
        if isinstance(output_format, shown.OncePerRaceFormat)
    }
    return race_formats | gate_json.GATE_FORMATS


def add_gate_options(command: argparse.ArgumentParser, baseline: bool) -> None:
    group = command.add_argument_group("the baseline")
    group.add_argument("--baseline", metavar="FILE", required=baseline, help="file of known races; need not exist yet")
    group.add_argument("--update", action="store_true", help="write the races that were found into the baseline")
    group.add_argument("--prune", action="store_true", help="with --update: remove known races that are gone")
    group.add_argument(
        "--complete", action="store_true", help="every test ran: known races that were not found are gone"
    )
    group.add_argument(
        "--reason", default="", metavar="TEXT", help="with --update or --mute: why the races are accepted"
    )
    group.add_argument(
        "--owner", default="", metavar="WHO", help="with --update or --mute: who is responsible for them"
    )
    group.add_argument(
        "--expires", type=parse_expiry, default="", metavar="DATE",
        help="with --update or --mute: the last day on which they are accepted, such as 2026-12-31, or never",
    )  # fmt: skip
    group.add_argument(
        "--mute", type=_parse_pattern, action="append", default=[], metavar="PATTERN",
        help="mute the races that match race:NAME or id:RACE; needs a --reason; may repeat",
    )  # fmt: skip
    group.add_argument(
        "--suppressions", action="append", default=[], metavar="FILE",
        help="read mutes from a ThreadSanitizer suppression file; may repeat",
    )  # fmt: skip
    decided = command.add_argument_group("people's decisions")
    decided.add_argument("--lake", metavar="DIR", help="folder of the lake beside which they are")
    decisions.add_decisions_option(decided)
    output = command.add_argument_group("output")
    output.add_argument("--format", choices=sorted(gate_formats()), default="text", help="default: text")
    output.add_argument(
        "--write", type=_parse_target, action="append", default=[], metavar="FORMAT=FILE",
        help="also write this format to a file; may repeat",
    )  # fmt: skip
    dossiers.add_repo_option(output)
    add_scan_options(output)


def parse_expiry(text: str) -> str:
    if text == "never":
        return ""
    if text and not is_date(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a date such as 2026-12-31, or never")
    return text


def _parse_pattern(text: str) -> str:
    if error := pattern_error(text):
        raise argparse.ArgumentTypeError(error)
    return text


def _parse_target(text: str) -> tuple[str, str]:
    format_name, equals, file = text.partition("=")
    if not equals or not file or format_name not in gate_formats():
        raise argparse.ArgumentTypeError(f"{text!r} is not FORMAT=FILE, such as sarif=races.sarif")
    return format_name, file


def check_options(args: argparse.Namespace, command: argparse.ArgumentParser) -> None:
    """Rejects options that need another option."""
    if args.mute and not args.reason:
        command.error("--mute needs a --reason")
    if args.prune and not args.update and was_given(args, "prune"):
        command.error("--prune needs --update")
    if args.complete and not args.baseline and was_given(args, "complete"):
        command.error("--complete needs a --baseline")
    if args.update and not args.baseline:
        command.error("--update needs a --baseline")


class RaceInspection:
    """A scan that shows each race once, with or without a gate."""

    def __init__(self, args: argparse.Namespace, gated: bool, out: IO[str]) -> None:
        self._args, self._gated = args, gated
        self._style: OutputStyle = style_from_options(args, out)
        self._configuration: ConfigurationFile | None = getattr(args, "configuration", None)
        self._baseline = read_baseline(args) if gated else Baseline()
        self._gate: BaselineGate | None = None
        # what tells whether known races are gone
        self._test_runs = TestRunWatcher(self._baseline.known) if gated else None
        self.is_cut = False  # the documents are not complete, in spite of --complete
        self.has_failed = False  # the command failed
        self.selects_tests = False  # the command does not run all tests of its packages
        self.lacks_race_detector = False  # the command runs tests that cannot find races

    def inspect_documents(self, entries: Iterable[Document | UnreadableError]) -> list[RaceFinding]:
        """Finds the races in documents; sets `read_nothing` if none could be read."""
        args, entries = self._args, list(entries)
        accumulator = shown.FindingsAccumulator(cli_scan.line_finder(entries))
        limits = getattr(args, "archive_limits", None)  # `run` reads no archives
        options = cli_scan.ScanOptions(ReadOptions(args.error_stacks), args.jobs, args.quiet, limits, self._test_runs)
        formats = [gate_formats()[name] for name in (args.format, *(name for name, _ in args.write))]
        collector = accumulator.new_collector(any(output_format.prints_causes for output_format in formats))
        scan = cli_scan.ScanJob(entries, collector, accumulator, options)
        scan.run()
        scan.clear_progress()
        self.read_nothing = scan.read_nothing
        if self._test_runs is not None:
            self._test_runs.evidence.finish()
            if self.selects_tests:
                self._test_runs.evidence.mark_partial()
            if self.lacks_race_detector:
                self._test_runs.evidence.discard("the command has no -race")
            self.is_cut = self.is_cut or scan.has_faults or (self.has_failed and not scan.sighting_count)
        judged = self._judge_findings(accumulator, scan)
        rules = self._configuration.owner_rules if self._configuration else ()
        repos = args.repo if any(output_format.shows_dossiers for output_format in formats) else []
        explained = dossiers.with_dossiers(self._map_paths(judged), repos, args.quiet, rules)
        # the baseline has the paths as printed
        self.findings = [one._replace(dossier=other.dossier) for one, other in zip(judged, explained, strict=True)]
        return self.findings

    def _judge_findings(self, accumulator: shown.FindingsAccumulator, scan: cli_scan.ScanJob) -> list[RaceFinding]:
        if not self._gated:
            return list(accumulator.iter_findings(scan.identity.race_ids()))
        with decisions.gate_decisions(self._args, self._style.job.commit) as decided:
            self._gate = self._new_gate(scan.identity.facts, decided.judge if decided else None)
            return [self._judge_finding(finding) for finding in accumulator.iter_findings(self._gate.ids)]

    def _new_gate(
        self, evidence: GroupingFacts, decide: Callable[[Iterable[str]], GateJudgement | None] | None
    ) -> BaselineGate:
        assert self._test_runs is not None
        today, is_complete = date.today().isoformat(), self._args.complete and not self.is_cut
        mutes = self._configuration.mutes if self._configuration else ()
        return BaselineGate(self._baseline, evidence, today, self._test_runs.evidence, is_complete, mutes, decide)

    def _judge_finding(self, finding: RaceFinding) -> RaceFinding:
        if self._gate is None:
            return finding
        judgement = self._gate.judge_race(finding.sighting)
        return finding._replace(standing=judgement.standing, note=judgement.note)

    def _map_paths(self, findings: list[RaceFinding]) -> list[RaceFinding]:
        maps = tuple(self._args.map)
        return [finding._replace(sighting=map_sighting(finding.sighting, maps)) for finding in findings]

    def write_findings(self, out: IO[str]) -> None:
        """Writes the findings to `out` and to all requested files, even if one of them fails."""
        absent_races = self._gate.absent_races() if self._gate else []
        absent = tuple(shown.AbsentRace(known.race, known.title, *absence[:2]) for known, absence in absent_races)
        race_findings = shown.RaceFindings(self._map_paths(self.findings), absent)
        targets = [(format_name, file, "w") for format_name, file in self._args.write]
        summary_file = os.environ.get("GITHUB_STEP_SUMMARY")
        if self._args.format == "github" and summary_file:
            targets.append(("markdown", summary_file, "a"))
        faults = [
            fault
            for format_name, file, mode in targets
            if (fault := self._write_file(file, format_name, race_findings, mode))
        ]
        output_format = gate_formats()[self._args.format]
        output_format.write(out, output_format.render_pieces(race_findings, self._style))
        if faults:
            raise faults[0]

    def _write_file(self, file: str, format_name: str, race_findings: RaceFindings, mode: str) -> DeadheatError | None:
        style = self._style.__class__(root=self._style.root, links=self._style.links, job=self._style.job)
        try:
            with open(file, mode, encoding="utf-8") as out:
                shown.write_utf8(out, gate_formats()[format_name].render_pieces(race_findings, style))
        except OSError as error:
            return unwritable_error(file, error)
        return None

    def update_baseline(self) -> None:
        """Writes the baseline atomically."""
        assert self._gate is not None
        args = self._args
        today = date.today().isoformat()
        entry = NewEntryDetails(today, args.reason, args.owner, args.expires, self._configured_owner)
        # what a configuration file says is meant for new entries only
        fields = {name: getattr(args, name) for name in EntryFields._fields if was_given(args, name)}
        changes = EntryFields(**fields)
        sightings = [finding.sighting for finding in self.findings]
        updated = self._gate.updated_baseline(sightings, entry, args.prune, changes)
        text = lines.format_baseline(updated)
        write_baseline(args.baseline, text.encode("utf-8", "replace"))
        if not args.quiet:
            summary = f"{cli.format_count(text.count(chr(10)), 'line')} written"
            kept = (GateStanding.KNOWN, GateStanding.EXPIRED)
            changed = sum(race.standing in kept for race in self.findings) if fields else 0
            more = f"; {', '.join(fields)} of {cli.format_count(changed, 'known race')} set" if changed else ""
            cli.print_to_stderr(f"{args.baseline}: {summary}{more}")

    def _configured_owner(self, sighting: Sighting) -> str:
        """The owner of the racing files in the configuration file."""
        rules = self._configuration.owner_rules if self._configuration else ()
        mapped = map_sighting(sighting, tuple(self._args.map)).report
        for access in mapped.accesses if rules else ():
            file = file_from_root(access.site, self._style.root) if access.site else ""
            if owners := owners_by_rule(rules, file)[0]:
                return " ".join(owners)
        return ""

    @property
    def exit_status(self) -> int:
        return cli.EXIT_RACES if any(finding.fails for finding in self.findings) else cli.EXIT_NOTHING


def read_baseline(args: argparse.Namespace) -> Baseline:
    """The baseline with the mutes of the options and the suppression files."""
    known = load_baseline(args.baseline, args.quiet or args.update)
    mutes = [Mute(pattern, args.reason, args.owner, args.expires) for pattern in args.mute]
    for file in args.suppressions:
        file_mutes, faults = parse_suppressions(_read_text(file))
        mutes += [mute._replace(reason=mute.reason or args.reason or f"from {file}") for mute in file_mutes]
        for error in () if args.quiet else faults:
            cli.print_to_stderr(f"{file}: {error}")
    new_mutes = {mute.pattern: mute for mute in mutes}
    old_mutes = [mute for mute in known.mutes if mute.pattern not in new_mutes]
    return Baseline(known.known, (*old_mutes, *new_mutes.values()))


def load_baseline(file: str, quiet: bool) -> Baseline:
    if not Path(file).exists():
        if not quiet:
            cli.print_to_stderr(f"{file}: does not exist, so every race is new; `deadheat gate --update` creates it")
        return Baseline()
    try:
        loaded = lines.parse_baseline(_read_text(file))
    except lines.BaselineLineError as error:
        remedy = "correct the line, or remove it and run with --update"
        raise DeadheatError(error.what, f"{file}:{error.number}", remedy) from error
    stale = sum(entry.stale for entry in loaded.known)
    if stale and not quiet:
        cli.print_to_stderr(
            f"{file}: {cli.format_count(stale, 'race')} of another version of deadheat cannot be recognised;"
            " rewrite the file with --update --prune --complete after a run of every test"
        )
    return loaded


def _read_text(file: str) -> str:
    try:
        return Path(file).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise read_error(file, error) from error


def read_error(file: str, error: OSError) -> DeadheatError:
    return DeadheatError((error.strerror or str(error)).lower(), file, "name a readable file")


def write_baseline(file: str, data: bytes) -> None:
    """Writes the baseline atomically; a link stays one, and the file keeps its permissions."""
    path = Path(os.path.realpath(file))
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        try:
            temporary.write_bytes(data)
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            temporary.replace(path)
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable_error(file, error) from error


def unwritable_error(file: str, error: OSError) -> DeadheatError:
    reason = f"cannot be written: {(error.strerror or str(error)).lower()}"
    return DeadheatError(reason, file, "name a writable file")


_GATE_EXAMPLES = """examples:
  deadheat gate --baseline races.jsonl test.log           fail if test.log has a new race
  deadheat gate --baseline races.jsonl --update --reason 'TICKET-12' --owner @storage test.log
  deadheat gate --baseline races.jsonl --update --prune logs/
  deadheat gate --baseline races.jsonl --update --prune --complete helgrind.log
  deadheat gate --baseline races.jsonl --suppressions tsan.supp --write sarif=races.sarif logs/
  deadheat gate --baseline races.jsonl --format github test.log
  deadheat gate --baseline races.jsonl --lake races-lake test.log    also follow what people have decided
  deadheat gate mute 47d9f89a --baseline races.jsonl --reason 'only in the test'

The words mute, unmute, note and list behind `gate` edit or list the baseline: see `deadheat gate mute --help`.
A file of this name is ./mute.

exit status: 0 no new race, or the baseline was updated, 1 new races, 2 wrong usage,
3 the baseline or every PATH was unreadable
"""


def add_gate_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "gate",
        help="fail on new races only",
        description="Fails on races that are not in the baseline. Known races are recognised when"
        " lines move, closures are renumbered or callers change.",
        epilog=_GATE_EXAMPLES,
    )
    cli.add_path_arguments(command)
    add_gate_options(command, baseline=True)
    command.set_defaults(run=run_gate, parser=command)


def run_gate(args: argparse.Namespace) -> int:
    check_options(args, args.parser)
    inspection = RaceInspection(args, True, sys.stdout)
    entries = list(file_listing.list_entries(args.paths))
    if not entries and not args.quiet:
        cli.print_to_stderr(f"{', '.join(args.paths)}: there is no file to read; check the path")
    inspection.inspect_documents(entries)
    if inspection.read_nothing:
        return cli.EXIT_ENVIRONMENT
    with cli.ignore_closed_pipe(sys.stdout):
        inspection.write_findings(sys.stdout)
    if args.update:
        inspection.update_baseline()
        return cli.EXIT_NOTHING
    return inspection.exit_status
