"""The command line: parser, exit status, messages on stderr and shared options."""

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

# exit status
NOTHING, RACES, USAGE, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130

_COMMANDS = (
    "scan", "explain", "gate", "run", "ingest", "consolidate", "races", "show", "families", "lake",
    "mine", "place", "completion",
)  # fmt: skip


class Parser(argparse.ArgumentParser):
    """An argument parser that keeps line breaks in examples and prints errors on one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:  # reported here with the name of the command
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        complain(f"{message}; see {self.prog} --help", self.prog)
        sys.exit(USAGE)


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """Builds the parser of all commands, or of one, which avoids importing the others."""
    root = Parser(
        prog="deadheat",
        description="Finds race detector reports in text and tracks the defects behind them.",
        epilog="exit status: 0 nothing found, 1 races found, 2 wrong usage, 3 the environment failed",
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
        # the reader closed the pipe, as `head` does
        _drop(sys.stdout)
        return RACES
    except OSError as error:
        # a full disk, or a closed output
        _drop(sys.stdout)
        where = error.filename or "standard input or output"
        complain(str(DeadheatError(f"failed ({error.strerror or error})", str(where))))
        return ENVIRONMENT
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except Exception:  # noqa: BLE001, Python would exit with 1, which means races
        _confess()
        return ENVIRONMENT


def _confess() -> None:
    import traceback

    for line in traceback.format_exc().splitlines():
        complain(line)
    complain("internal error in deadheat; please report it with the lines above")


def _drop(out: IO[str]) -> None:
    """Discards buffered output, so that Python does not try to write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _open_all() -> None:
    """Opens closed standard streams so that they fail, and no other file gets their number."""
    for number, name, flags in (
        (0, "stdin", os.O_WRONLY),
        (1, "stdout", os.O_RDONLY),
        (2, "stderr", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, flags), number)
            setattr(sys, name, os.fdopen(number, "w" if number else "r"))


def _never_refuse() -> None:
    """Prints a question mark for characters that the encoding of the terminal lacks."""
    for out in sys.stdout, sys.stderr:
        if isinstance(out, io.TextIOWrapper) and out.errors == "strict":
            out.reconfigure(errors="replace")


def collect_seldom() -> None:
    """Raises the thresholds of the garbage collector, which takes a fifth of a scan."""
    import gc

    gc.freeze()
    gc.set_threshold(200_000, 20, 50)


def add_paths(command: argparse.ArgumentParser) -> None:
    """Adds the PATH arguments."""
    command.add_argument(
        "paths", nargs="+", metavar="PATH", help="file, folder or archive; - for standard input"
    )


def add_frames(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--frames", type=at_least(1), default=6, metavar="N",
        help="frames per stack in text (default: 6)",
    )  # fmt: skip


def at_least(least: int) -> Callable[[str], int]:
    """The argparse type of an integer option with a minimum."""

    def number(text: str) -> int:
        try:
            count = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None
        if count < least:
            raise argparse.ArgumentTypeError(f"must be {least} or more")
        return count

    return number


def sound(make: Callable[[str], Any]) -> Callable[[str], Any]:
    """An argparse type that turns a DeadheatError of `parse` into a usage error."""

    def made(text: str) -> Any:
        try:
            return make(text)
        except DeadheatError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return made


def complain(what: str, who: str = "deadheat") -> None:
    """Prints one line on stderr; a failure to write it is ignored."""
    try:
        print(f"{who}: {printable(what)}", file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)


def count(number: int, what: str) -> str:
    """`1 race`, `2 races`."""
    return f"{number} {what}{'s' * (number != 1)}"


def printable(text: str) -> str:
    """Replaces unprintable characters, so that the text is one line."""
    return "".join(c if c.isprintable() else "?" for c in text)


if __name__ == "__main__":
    sys.exit(main())
