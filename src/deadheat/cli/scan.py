"""`deadheat scan`: finds the reports in files, folders, archives or a pipe, and prints the races."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from deadheat import cli, identify, registry
from deadheat.cli import workers
from deadheat.cli.progress import Progress
from deadheat.errors import UnreadableError
from deadheat.feeds import files, walk
from deadheat.identity import races
from deadheat.model import Document, Sighting
from deadheat.render import Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.render import Renderer

_EXAMPLES = """examples:
  deadheat scan ci.log                      the races in one log
  deadheat scan logs/ artifacts.zip         in every file below a folder, and inside an archive
  go test -race ./... 2>&1 | deadheat scan -
  deadheat scan --format jsonl logs/ | jq .title

exit status: 0 no race, 1 races found, 2 wrong usage, 3 nothing could be read
"""
# below this many bytes, starting processes costs more than it gives
_WORTH_FORKING = 1 << 24
_BATCH = 4096
# where no terminal tells
_WIDTH = 120


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "scan",
        help="find the race reports in files, folders, archives or a pipe",
        description="Finds every race report, however damaged, and prints each race once.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "paths", nargs="+", metavar="PATH", help="file, folder or archive; - for standard input"
    )
    command.add_argument(
        "--format", choices=sorted(registry.renderers()), default="text", help="default: text"
    )
    command.add_argument(
        "--jobs", type=_jobs, default=None, metavar="N", help="processes (default: one per core)"
    )
    command.add_argument(
        "--frames", type=_jobs, default=6, metavar="N", help="frames per stack in text (default: 6)"
    )
    command.add_argument(
        "--error-stacks",
        action="store_true",
        help="also read the stacks that Go programs print under errors, race or not",
    )
    command.add_argument(
        "--why", action="store_true", help="text: what each race was identified by"
    )
    command.add_argument("--brief", action="store_true", help="text: one line per race")
    command.add_argument("--no-color", action="store_true", help="no colours, as with NO_COLOR")
    command.add_argument("--quiet", action="store_true", help="no progress and no warnings")
    command.set_defaults(run=run)


def _jobs(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return count


def run(args: argparse.Namespace) -> int:
    scan = _Scan(args)
    try:
        scan.run()
    except KeyboardInterrupt:
        scan.close()  # what was found so far is worth having
        raise
    scan.close()
    return scan.status()


class _Scan:
    """One run of the command."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._quiet = args.quiet
        renderer: Renderer = registry.renderers()[args.format]
        style = style_of(args)
        self._output = renderer.output(sys.stdout, style)
        self._gatherer = renderer.gatherer(style)
        self._wish = files.Wish(renderer.full, args.error_stacks)
        self._identity = identify.Identity()
        self._faults = self._found = self._read = 0
        found = list(walk.entries(args.paths))
        self._first_faults = [f for f in found if isinstance(f, UnreadableError)]
        entries = [e for e in found if isinstance(e, walk.Entry)]
        total = sum(e.size or 0 for e in entries)
        self._jobs = (args.jobs or _cores()) if total > _WORTH_FORKING else 1
        self._units = [
            unit
            for entry in entries
            for unit in (files.units(entry) if self._jobs > 1 else [files.Unit(entry)])
        ]
        sizes = [e.size for e in entries]
        whole = None if None in sizes else total
        self.progress = Progress(whole, wanted=False if args.quiet else None)

    def run(self) -> None:
        for fault in self._first_faults:
            self._fault(fault)
        for kind, value in workers.run(len(self._units), self._jobs, self._work):
            if kind == "fault":
                self._fault(value)
            elif kind == "tick":
                self.progress.tick(value)
            elif kind == "read":
                self._read += 1
            else:
                count, packed, found = value
                self._found += count
                self.progress.found = self._found
                self._identity.add(found)
                (self._output.live if kind == "live" else self._output.merge)(packed)

    def _work(self, index: int, forked: bool) -> Iterator[tuple[str, Any]]:
        """What one unit gives, in batches; runs in a worker or right here."""
        unit = self._units[index]
        live = unit.entry.size is None
        tick = None if forked else self.progress.tick
        faults = 0
        batch: list[Sighting | Document] = []
        for seen in files.sightings(unit, forked, tick, self._wish):
            if isinstance(seen, UnreadableError):
                faults += 1
                yield "fault", seen
                continue
            batch.append(seen)
            # a bug report is not cut in two
            if (live or len(batch) >= _BATCH) and not isinstance(batch[0], Document):
                yield self._gathered(batch, live)
                batch = []
        if batch:
            yield self._gathered(batch, live)
        if not faults:
            yield "read", None
        if forked:
            yield "tick", unit.size

    def _gathered(self, batch: list[Sighting | Document], live: bool) -> tuple[str, Any]:
        """What the gatherer makes of a batch, and what its sightings tell of their identity."""
        sightings, found = identify.named([s for s in batch if isinstance(s, Sighting)])
        if live:  # nobody will wait for lasting ids
            sightings = [identify.in_race(s, found.nodes[s.verdict.race].base) for s in sightings]
            found = races.nothing()
        named = iter(sightings)
        for one in batch:
            if isinstance(one, Document):
                self._gatherer.tell(one)
            else:
                self._gatherer.add(next(named))
        return "live" if live else "found", (len(sightings), self._gatherer.pack(), found)

    def _fault(self, fault: UnreadableError) -> None:
        self._faults += 1
        if not self._quiet:
            self.progress.clear()
            cli.complain(str(fault))

    def close(self) -> None:
        self.progress.clear()
        self._output.close(self._identity.ids())

    def status(self) -> int:
        if self._found:
            return cli.RACES
        return cli.ENVIRONMENT if self._faults and not self._read else cli.NOTHING


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def style_of(args: argparse.Namespace) -> Style:
    on_terminal = sys.stdout.isatty()
    colour = on_terminal and not args.no_color and not os.environ.get("NO_COLOR")
    return Style(colour, min(_width(), 200), args.frames, args.brief, getattr(args, "why", False))


def _width() -> int:
    """As `shutil` finds it, which takes long to import."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or _WIDTH
    except (OSError, ValueError):
        return _WIDTH
