"""The command `scan`, and the scan of files in several processes that other commands share."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any

from deadheat import cli, plugins
from deadheat.api import ReadOptions, read_opened_documents
from deadheat.cli import code_links, job_context, worker_pool
from deadheat.cli.progress import ProgressLine
from deadheat.cli.report_filter import NewRaces, add_filter_options, report_filter
from deadheat.errors import UnreadableError, limit_faults, unexpected_fault
from deadheat.grouping import race_assignment, races
from deadheat.model import Document, Sighting
from deadheat.output import GROUPS, SORT_ORDERS, OutputStyle, RaceSelection
from deadheat.output.findings import FindingsWriter, OncePerRaceFormat
from deadheat.output.layout import MIN_WIDTH
from deadheat.output.mapped_paths import with_mapped_paths
from deadheat.sources import file_listing, files
from deadheat.sources.line_numbers import LineNumbers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator

    from deadheat.baseline.test_runs import TestRunWatcher
    from deadheat.model import Report
    from deadheat.output import OutputFormat, OutputWriter, SightingCollector
    from deadheat.sources.archive_limits import ArchiveLimits


# below this, forking costs more than it saves
_MIN_BYTES_TO_FORK = 1 << 24
# sightings per batch, and how many of them may be other than duplicates
_MAX_BATCH_ITEMS, _MAX_FULL_REPORTS = 4096, 128


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """Options of a scan."""

    read_options: ReadOptions
    jobs: int | None = None  # one per core
    quiet: bool = False
    archive_limits: ArchiveLimits | None = None
    test_runs: TestRunWatcher | None = None  # collects evidence of the tests that ran
    filter: Callable[[Report], bool] | None = None  # whether a report is collected


class _SightingBatch:
    """Sightings and documents that are collected together, with a bound on memory."""

    def __init__(self) -> None:
        self.items: list[Sighting | Document] = []
        self._full_reports = 0

    def add_item(self, item: Sighting | Document) -> bool:
        """Adds an item; returns whether the batch is full."""
        self.items.append(item)
        if isinstance(item, Sighting) and not item.source.volatile_values:
            self._full_reports += 1
        return self.is_full

    @property
    def is_full(self) -> bool:
        return len(self.items) >= _MAX_BATCH_ITEMS or self._full_reports >= _MAX_FULL_REPORTS

    @property
    def starts_with_document(self) -> bool:
        """Whether the first item is a bug report."""
        return isinstance(self.items[0], Document)

    def take_items(self) -> list[Sighting | Document]:
        items, self.items, self._full_reports = self.items, [], 0
        return items


class ScanJob:
    """One scan of some entries; unreadable ones are reported first."""

    def __init__(
        self,
        entries: Iterable[file_listing.FileEntry | UnreadableError],
        collector: SightingCollector,
        writer: OutputWriter,
        options: ScanOptions,
    ) -> None:
        self._collector, self._writer, self._options = collector, writer, options
        self.identity = race_assignment.RaceAssigner()
        self._fault_count = self.sighting_count = self._read_count = 0
        self._sent_locations = "", 0  # document, and how many of its locations were sent
        all_entries = list(entries)
        self.input_count = len(all_entries)
        self._first_faults = [f for f in all_entries if isinstance(f, UnreadableError)]
        readable = [e for e in all_entries if isinstance(e, file_listing.FileEntry)]
        total = sum(e.size or 0 for e in readable)
        self._jobs = (options.jobs or _available_cores()) if total > _MIN_BYTES_TO_FORK else 1
        # units do not depend on the number of workers, and so neither does the result
        self._units = [unit for entry in readable for unit in files.split_into_ranges(entry)]
        sizes = [e.size for e in readable]
        known_total = None if None in sizes else total
        self._progress = ProgressLine(known_total, enabled=False if options.quiet else None)

    def run(self) -> None:
        for fault in self._first_faults:
            self._report_fault(fault)
        results = worker_pool.run_units(len(self._units), self._jobs, self._scan_unit, self._describe_death)
        for kind, value in results:
            if kind == "fault":
                self._report_fault(value)
            elif kind == "tick":
                self._progress.tick(value)
            elif kind == "read":
                self._read_count += 1
            elif kind == "events":
                assert self._options.test_runs is not None
                self._options.test_runs.evidence.add_events(value)
            else:
                count, packed, evidence, locations = value
                self.sighting_count += count
                self._progress.report_count = self.sighting_count
                self.identity.add_batch(evidence, locations)
                if kind == "live":
                    self._progress.clear()
                    self._writer.write_live(packed)
                else:
                    self._writer.merge_batch(packed)
        self.identity.close()

    def _scan_unit(self, index: int, forked: bool) -> Iterator[tuple[str, Any]]:
        """Yields the results of one unit in batches; runs in a worker or in this process."""
        unit = self._units[index]
        live = self._options.read_options.live and unit.entry.size is None
        read_options = self._options.read_options._replace(live=live)
        tick = None if forked else self._progress.tick
        is_part = unit.start > 0 or unit.end is not None
        watcher = self._options.test_runs
        faults, batch = 0, _SightingBatch()
        try:
            documents = files.open_documents(unit, tick, self._options.archive_limits)
            if watcher is not None:
                documents = watcher.watch(documents)
            for item in limit_faults(read_opened_documents(documents, read_options), unit.entry.uri):
                if isinstance(item, UnreadableError):
                    faults += 1
                    yield "fault", item
                    continue
                # a bug report is not split over two batches
                if isinstance(item, Document) and batch.is_full:
                    yield from self._collect_items(batch.take_items(), live, is_part)
                if (batch.add_item(item) or live) and not batch.starts_with_document:
                    is_part = is_part or not live
                    yield from self._collect_items(batch.take_items(), live, is_part)
        except KeyboardInterrupt:
            yield from self._collect_items(batch.take_items(), live, is_part)  # keep what was found so far
            raise
        except Exception as error:  # noqa: BLE001, other files are scanned
            faults += 1
            yield "fault", unexpected_fault(error, unit.entry.uri)
        yield from self._collect_items(batch.take_items(), live, is_part)
        if watcher is not None:
            yield "events", watcher.take_events()
        if not faults:
            yield "read", None
        if forked:
            yield "tick", unit.size

    def _describe_death(self, index: int, reason: str) -> tuple[str, Any]:
        """The result for a unit that no worker survives."""
        what = f"the process that read it {reason}; not all of it was read"
        return "fault", UnreadableError(what, self._units[index].entry.uri)

    def _collect_items(self, items: list[Sighting | Document], live: bool, is_part: bool) -> Iterator[tuple[str, Any]]:
        """Yields the results of a batch. If it cannot be collected, those of each report or bug report that can be."""
        if not items:
            return
        try:
            collected = self._collect_batch(items, live, is_part)
        except Exception as error:  # noqa: BLE001, other reports are collected
            self._collector.pack_batch()  # removes the part that was collected
            starts = [i for i, item in enumerate(items) if isinstance(item, Document) or item.document is None or not i]
            if len(starts) > 1:
                for start, end in zip(starts, [*starts[1:], len(items)], strict=True):
                    yield from self._collect_items(items[start:end], live, is_part)
                return
            collected = "fault", unexpected_fault(error, items[0].uri, "a report is skipped")
        yield collected

    def _collect_batch(self, batch: list[Sighting | Document], live: bool, is_part: bool) -> tuple[str, Any]:
        """Collects a batch and computes the grouping evidence of its sightings."""
        batch_sightings = [sighting for sighting in batch if isinstance(sighting, Sighting)]
        uri = batch_sightings[0].uri if batch_sightings else ""
        # each worker gets the parts of a document in order
        sent = self._sent_locations[1] if self._sent_locations[0] == uri else 0
        sightings, evidence, locations = race_assignment.group_sightings(
            batch_sightings, is_part and sent < race_assignment.MAX_OBSERVATIONS
        )
        self._sent_locations = uri, sent + len(locations)
        if live:  # printed at once, before final ids are known
            sightings = [
                race_assignment.with_race(sighting, evidence.variants[sighting.verdict.race].base)
                for sighting in sightings
            ]
            evidence = races.empty_facts()
        identified, is_wanted, count = iter(sightings), self._options.filter, 0
        for item in batch:
            if isinstance(item, Document):
                self._collector.add_document(item)
                continue
            sighting = next(identified)
            if is_wanted is None or is_wanted(sighting.report):
                count += 1
                self._collector.add_sighting(sighting)
        return "live" if live else "found", (count, self._collector.pack_batch(), evidence, locations)

    def _report_fault(self, fault: UnreadableError) -> None:
        self._fault_count += 1
        if not self._options.quiet:
            self._progress.clear()
            cli.print_to_stderr(str(fault))

    def clear_progress(self) -> None:
        """Erases the progress line."""
        self._progress.clear()

    @property
    def has_faults(self) -> bool:
        """Whether something could not be read."""
        return self._fault_count > 0

    @property
    def read_nothing(self) -> bool:
        """Whether no document could be read."""
        return bool(self._fault_count) and not self._read_count


def _available_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_EXAMPLES = """examples:
  deadheat scan ci.log                      the races in one log
  deadheat scan logs/ artifacts.zip         in every file below a folder, and inside an archive
  go test -race ./... 2>&1 | deadheat scan -
  deadheat scan --format jsonl logs/ | jq .title

exit status: 0 no race, 1 races found, 2 wrong usage, 3 nothing could be read
"""
# width if the output is not a terminal
_DEFAULT_WIDTH = 120


def add_scan_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "scan",
        help="find the race reports in files, folders, archives or a pipe",
        description="Finds every race report, including damaged ones, and prints each race once.",
        epilog=_EXAMPLES,
    )
    cli.add_path_arguments(command)
    command.add_argument("--format", choices=sorted(plugins.output_formats()), default="text", help="default: text")
    add_filter_options(command)
    _add_view_options(command)
    add_scan_options(command)
    command.set_defaults(run=run_scan, parser=command, closed_pipe_status=cli.EXIT_RACES)


def _add_view_options(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("how they are shown")
    group.add_argument("--sort", choices=SORT_ORDERS, default="seen", help="default: seen, most often seen first")
    group.add_argument(
        "--group-by", choices=GROUPS, default="race", help="text: list the races of each package, test, cause or file"
    )
    group.add_argument(
        "--limit", type=cli.integer_at_least(0), metavar="N",
        help="at most N races, or N of each group; 0: all (default: all; on a terminal, what fits into 60 lines)",
    )  # fmt: skip
    group.add_argument("--why", action="store_true", help="text: show what identifies each race")
    group.add_argument("--cause", action="store_true", help="text: show what speaks for the cause, and the remedy")


def add_scan_options(command: argparse._ActionsContainer) -> None:
    """Adds the options of the commands that scan and print races."""
    command.add_argument(
        "--jobs",
        type=cli.integer_at_least(1),
        default=None,
        metavar="N",
        help="number of processes (default: one per core)",
    )
    cli.add_frames_option(command)
    cli.add_map_option(command)
    command.add_argument(
        "--error-stacks",
        action="store_true",
        help="also read the stacks that Go programs print with errors, race or not",
    )
    layout = command.add_mutually_exclusive_group()
    layout.add_argument("--brief", action="store_true", help="text: one line per race")
    layout.add_argument("--full", action="store_true", help="text: both stacks of every race, however many there are")
    command.add_argument(
        "--root", default=checkout_folder(), metavar="DIR",
        help="checkout, for links to the code (default: that of the CI job, or this folder)",
    )  # fmt: skip
    code_links.add_link_template_option(command)
    job_context.add_key_option(command)
    command.add_argument("--no-color", action="store_true", help="no colours, as with NO_COLOR")
    command.add_argument("--quiet", action="store_true", help="no progress and no warnings")


def checkout_folder() -> str:
    """The checkout folder of the CI job, or the current folder."""
    ci_folder = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    try:
        return ci_folder or os.getcwd()  # noqa: PTH109, pathlib is slow to import
    except OSError:  # it was removed
        return ""


def run_scan(args: argparse.Namespace) -> int:
    output_format: OutputFormat = plugins.output_formats()[args.format]
    _check_options(args, output_format)
    entries = list(file_listing.list_entries(args.paths))
    style = replace(style_from_options(args), line_of=line_finder(entries))
    worker_pool.enlarge_pipe(1)
    writer = output_format.new_writer(sys.stdout, style)
    read_options = ReadOptions(args.error_stacks, not output_format.prints_at_end)
    options = ScanOptions(read_options, args.jobs, args.quiet, args.archive_limits, filter=report_filter(args))
    new_races = NewRaces(args.new_since, args.quiet) if args.new_since else None
    collector = with_mapped_paths(output_format.new_collector(style), tuple(args.map))
    scan_job = ScanJob(entries, collector, writer, options)
    try:
        scan_job.run()
    except KeyboardInterrupt:
        _write_output(scan_job, writer, new_races)  # print what was found so far
        raise
    count = scan_job.sighting_count
    with cli.ignore_closed_pipe(sys.stdout):
        count = _write_output(scan_job, writer, new_races)
    if count:
        return cli.EXIT_RACES
    if scan_job.read_nothing:
        return cli.EXIT_ENVIRONMENT
    if style.is_terminal and args.format == "text":
        print(_describe_nothing(args, scan_job))
    return cli.EXIT_NOTHING


def _check_options(args: argparse.Namespace, output_format: OutputFormat) -> None:
    """Rejects options that the format cannot follow: some formats show each sighting, not each race."""
    if args.group_by != "race" and args.format != "text":
        args.parser.error(f"--group-by needs --format text; {args.format} has no groups")
    if (args.why or args.cause) and (args.brief or args.group_by != "race"):
        args.parser.error(f"--{'why' if args.why else 'cause'} shows more than the one line of --brief and --group-by")
    wanted = [name for name in ("limit", "new_since") if getattr(args, name) is not None]
    wanted += ["sort"] if args.sort != "seen" else []
    if wanted and not isinstance(output_format, OncePerRaceFormat):
        option = wanted[0].replace("_", "-")
        args.parser.error(f"--{option} needs a format that shows each race once, such as text, html or sarif")


def _write_output(scan: ScanJob, writer: OutputWriter, new_races: NewRaces | None) -> int:
    """Writes what was found; returns the number of races or sightings shown."""
    scan.clear_progress()
    if new_races is None:
        writer.write_remaining(scan.identity.race_ids())
        return scan.sighting_count
    assert isinstance(writer, FindingsWriter)
    new_races.compare(scan.identity.facts)
    writer.is_wanted = lambda finding: new_races.gate.judge_race(finding.sighting).standing.fails
    writer.write_remaining(new_races.gate.ids)
    return writer.race_count


def _describe_nothing(args: argparse.Namespace, scan: ScanJob) -> str:
    """`no race found in 3 inputs`."""
    chosen = " that matches the options" if args.detector or args.package or args.test else ""
    new = "no new race" if args.new_since else "no race"
    return f"{new}{chosen} found in {cli.format_count(scan.input_count, 'input')}"


def line_finder(entries: Iterable[file_listing.FileEntry | UnreadableError]) -> Callable[[str, int], int | None]:
    """Finds the lines of reports in the plain files among the entries."""
    plain = [entry for entry in entries if isinstance(entry, file_listing.FileEntry)]
    return LineNumbers({e.uri: e.path for e in plain if e.size is not None and e.content is None}).line_of


def style_from_options(args: argparse.Namespace, out: IO[str] | None = None) -> OutputStyle:
    out = out or sys.stdout
    root = getattr(args, "root", "")
    return OutputStyle(
        colour=out.isatty() and not getattr(args, "no_color", False) and _terminal_has_colours(),
        width=max(MIN_WIDTH, min(_terminal_width(out), 200)),
        frames=getattr(args, "frames", cli.DEFAULT_FRAMES),
        brief=getattr(args, "brief", False),
        full=getattr(args, "full", False),
        why=getattr(args, "why", False),
        cause=getattr(args, "cause", False),
        root=root,
        links=code_links.links_of_checkout(args, root),
        job=job_context.job_from_options(args),
        is_terminal=out.isatty(),
        is_wrapped=out.isatty() or bool(os.environ.get("COLUMNS")),
        selection=RaceSelection(
            getattr(args, "sort", "seen"),
            getattr(args, "group_by", "race"),
            getattr(args, "limit", None),
            is_option=hasattr(args, "group_by"),
        ),
    )


def _terminal_has_colours() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _terminal_width(out: IO[str]) -> int:
    """The width of the terminal; like `shutil`, which is slow to import."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(out.fileno()).columns or _DEFAULT_WIDTH
    except (OSError, ValueError):
        return _DEFAULT_WIDTH
