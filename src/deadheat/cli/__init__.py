"""The command line: one module per command; the only place that prints to a person."""

from __future__ import annotations

import argparse
import io
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from deadheat._version import __version__
from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Sequence

# exit status, as in the contract
NOTHING, RACES, USAGE, ENVIRONMENT, INTERRUPTED = 0, 1, 2, 3, 130

_COMMANDS = (
    "scan", "explain", "gate", "run", "ingest", "consolidate", "races", "show", "families", "lake",
    "mine", "place", "completion",
)  # fmt: skip


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of every command, or of one: others need not be imported for it."""
    root = argparse.ArgumentParser(
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
    _collect_seldom()
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return RACES
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED


def _never_refuse() -> None:
    """What a terminal's character set lacks is shown as a question mark."""
    for out in sys.stdout, sys.stderr:
        if isinstance(out, io.TextIOWrapper) and out.errors == "strict":
            out.reconfigure(errors="replace")


def _collect_seldom() -> None:
    """Looking for cycles takes a fifth of the time of a scan, and there are hardly any."""
    import gc

    gc.freeze()
    gc.set_threshold(200_000, 20, 50)


def complain(what: str) -> None:
    """One line on stderr, whatever the text holds."""
    print(f"deadheat: {printable(what)}", file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """One line that a terminal can be trusted with."""
    return "".join(c if c.isprintable() else "?" for c in text)


if __name__ == "__main__":
    sys.exit(main())
