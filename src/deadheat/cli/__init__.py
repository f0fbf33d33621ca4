"""The command line: one module per command; the only place that prints to a person."""

from __future__ import annotations

import argparse
import io
import os
import sys
from importlib import import_module
from typing import IO, TYPE_CHECKING

from deadheat._version import __version__
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

# exit status, as in the contract
NOTHING, RACES, USAGE, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130

_COMMANDS = (
    "scan", "explain", "gate", "run", "ingest", "consolidate", "races", "show", "families", "lake",
    "mine", "place", "completion",
)  # fmt: skip


class Parser(argparse.ArgumentParser):
    """The parser of a command, which keeps the lines of its examples and faults in one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:  # here it is still known whose they would be
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        complain(f"{message}; see {self.prog} --help", self.prog)
        sys.exit(USAGE)


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of every command, or of one: others need not be imported for it."""
    root = Parser(
        prog="deadheat",
        description="From the text that race detectors print to the defects behind it.",
        epilog="exit status: 0 nothing found, 1 races found, 2 wrong usage, 3 environment failed",
    )
    root.add_argument("--version", action="version", version=f"deadheat {__version__}")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [only] if only else _COMMANDS:
        module = import_module(f"deadheat.cli.{name}")
        module.add(commands)
    return root


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    only = words[0] if words and words[0] in _COMMANDS else None
    args = parser(only).parse_args(words)
    collect_seldom()
    _open_all()
    _never_refuse()
    try:
        status = int(args.run(args))
        sys.stdout.flush()
        return status
    except DeadheatError as error:
        complain(str(error))
        return ENVIRONMENT
    except BrokenPipeError:
        # the reader of our output went away, as `head` does: no fault, and nobody to tell
        _drop(sys.stdout)
        return RACES
    except OSError as error:
        # a full disk, or an output that is closed
        _drop(sys.stdout)
        where = error.filename or "standard input or output"
        complain(str(DeadheatError(f"fails ({error.strerror or error})", str(where))))
        return ENVIRONMENT
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except Exception:  # noqa: BLE001, whoever asks for the status must not take it for a race
        _confess()
        return ENVIRONMENT


def _confess() -> None:
    import traceback

    for line in traceback.format_exc().splitlines():
        complain(line)
    complain("this is a fault of deadheat itself; please report it with the lines above")


def _drop(out: IO[str]) -> None:
    """What is still to be written cannot be, and must not be tried again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _open_all() -> None:
    """A stream that was closed is one that fails, lest the next file that is opened takes its place."""
    for number, name, flags in (
        (0, "stdin", os.O_WRONLY),
        (1, "stdout", os.O_RDONLY),
        (2, "stderr", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, flags), number)
            setattr(sys, name, os.fdopen(number, "w" if number else "r"))


def _never_refuse() -> None:
    """What a terminal's character set lacks is shown as a question mark."""
    for out in sys.stdout, sys.stderr:
        if isinstance(out, io.TextIOWrapper) and out.errors == "strict":
            out.reconfigure(errors="replace")


def collect_seldom() -> None:
    """Looking for cycles takes a fifth of the time of a scan, and there are hardly any."""
    import gc

    gc.freeze()
    gc.set_threshold(200_000, 20, 50)


def add_paths(command: argparse.ArgumentParser) -> None:
    """What every command reads that needs no lake."""
    command.add_argument(
        "paths", nargs="+", metavar="PATH", help="file, folder or archive; - for standard input"
    )


def add_frames(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--frames", type=at_least(1), default=6, metavar="N",
        help="frames per stack in text (default: 6)",
    )  # fmt: skip


def at_least(least: int) -> Callable[[str], int]:
    """The type of an option that takes a number."""

    def number(text: str) -> int:
        try:
            count = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
        if count < least:
            raise argparse.ArgumentTypeError(f"must be {least} or more")
        return count

    return number


def sound(make: Callable[[str], Any]) -> Callable[[str], Any]:
    """The type of an option that may be wrong in itself, which is no fault of the environment."""

    def made(text: str) -> Any:
        try:
            return make(text)
        except DeadheatError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return made


def complain(what: str, who: str = "deadheat") -> None:
    """One line on stderr, whatever the text holds; where that fails too there is nobody to tell."""
    try:
        print(f"{who}: {printable(what)}", file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)


def count(number: int, what: str) -> str:
    """`1 race`, `2 races`."""
    return f"{number} {what}{'s' * (number != 1)}"


def printable(text: str) -> str:
    """One line that a terminal can be trusted with."""
    return "".join(c if c.isprintable() else "?" for c in text)


if __name__ == "__main__":
    sys.exit(main())
