"""The command line: parser, exit status, messages on stderr and shared options."""

from __future__ import annotations

import argparse
import io
import os
import select
import sys
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import IO, TYPE_CHECKING

from deadheat._version import __version__
from deadheat.errors import DeadheatError
from deadheat.printable import visible_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, NoReturn

    from deadheat.sources.archive_limits import ArchiveLimits

DEFAULT_FRAMES = 6
# exit status
EXIT_NOTHING, EXIT_RACES, EXIT_USAGE, EXIT_ENVIRONMENT, EXIT_INTERRUPTED = 0, 1, 2, 3, 130

# command -> the module that defines add_<command>_command
_COMMANDS = {
    "scan": "scan",
    "explain": "explain",
    "gate": "gate",
    "run": "run",
    "ingest": "ingest",
    "consolidate": "ingest",
    "races": "lake_commands",
    "show": "lake_commands",
    "families": "lake_commands",
    "serve": "serve",
    "triage": "triage",
    "token": "tokens",
    "lake": "lake_maintenance",
    "retriage": "lake_maintenance",
    "mine": "repository_commands",
    "place": "repository_commands",
    "reproduce": "reproduce",
    "verify": "verify",
    "bisect": "bisect",
    "mcp": "mcp",
    "lsp": "lsp",
    "config": "config",
    "completion": "completion",
}
# the actions of a command, which its first word may name
_ACTIONS = {
    "gate list": "baseline_actions",
    "gate mute": "baseline_actions",
    "gate note": "baseline_actions",
    "gate unmute": "baseline_actions",
}
# they have no settings: a faulty configuration must not keep them from running
_COMMANDS_WITHOUT_SETTINGS = ("config", "completion")


# erases the progress line while something is printed; set by the line that was drawn last
pause_progress: Callable[[], AbstractContextManager[None]] = nullcontext


class _HelpFormatter(argparse.HelpFormatter):
    """Wraps descriptions, and keeps the line breaks of examples."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class CommandParser(argparse.ArgumentParser):
    """An argument parser that keeps line breaks in examples and prints errors on one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=_HelpFormatter, **options)

    # the attribute for the words behind `--`, of a command that has other positional arguments too
    words_dest: str | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        words: list[str] = []
        if self.words_dest and args is not None and "--" in args:
            position = args.index("--")
            args, words = args[:position], args[position + 1 :]
        known, unknown = super().parse_known_args(args, namespace)
        if self.words_dest:
            setattr(known, self.words_dest, words)
        if unknown:  # reported here with the name of the command
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        if message.startswith("the following arguments are required") and "--" in message:
            message += ", which deadheat.toml may contain"
        print_to_stderr(f"{message}; see {self.prog} --help", self.prog)
        sys.exit(EXIT_USAGE)


def build_parser(only_command: str | None = None) -> argparse.ArgumentParser:
    """Builds the parser of all commands, or of one, which avoids importing the others."""
    root = CommandParser(
        prog="deadheat",
        allow_abbrev=False,  # the command is found before the arguments are parsed
        description="Finds race detector reports in text and tracks the defects behind them.",
        epilog="exit status: 0 done, 1 races found (scan) or new races (gate, run --gate), 2 wrong usage,"
        " 3 the environment failed",
    )
    root.add_argument("--version", action="version", version=f"deadheat {__version__}")
    which = root.add_mutually_exclusive_group()
    which.add_argument("--config", metavar="FILE", help="configuration file; default: the nearest deadheat.toml")
    which.add_argument("--no-config", action="store_true", help="read no configuration file")
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [only_command] if only_command else _COMMANDS:
        module = import_module(f"deadheat.cli.{(_COMMANDS | _ACTIONS)[name]}")
        getattr(module, f"add_{name.replace(' ', '_')}_command")(commands)
    return root


def command_names() -> list[str]:
    """The commands that have settings in a configuration file."""
    return [name for name in _COMMANDS if name not in _COMMANDS_WITHOUT_SETTINGS]


def action_words(command: str) -> list[str]:
    """The words behind a command that name an action."""
    return [name.partition(" ")[2] for name in _ACTIONS if name.startswith(f"{command} ")]


def parse_command_line(arguments: list[str]) -> argparse.Namespace:
    """Parses the arguments; what they leave out comes from the environment, the configuration file or the defaults."""
    start = _command_position(arguments)
    words = arguments[start : start + 2]
    if " ".join(words) in _ACTIONS:
        arguments = [*arguments[:start], " ".join(words), *arguments[start + 2 :]]
    command = arguments[start] if start < len(arguments) else ""
    if command not in _COMMANDS and command not in _ACTIONS:
        return build_parser().parse_args(arguments)
    root = build_parser(command)
    if command in _COMMANDS_WITHOUT_SETTINGS:
        return root.parse_args(arguments)
    return _parse_with_settings(root, command, arguments, start)


def _command_position(arguments: list[str]) -> int:
    """The position of the first argument that is no option of all commands."""
    position = 0
    while position < len(arguments) and arguments[position].startswith("-"):
        position += 2 if arguments[position] == "--config" else 1
    return position


def _parse_with_settings(
    root: argparse.ArgumentParser, command: str, arguments: list[str], start: int
) -> argparse.Namespace:
    from deadheat.cli import configuration, options

    file, faults = None, []
    try:
        if "--no-config" not in arguments[:start]:
            file = configuration.load_configuration(_named_configuration(arguments[:start]))
        settings = options.CommandSettings(command, options.command_parser(root, command), file)
        settings.read_settings()
    except configuration.ConfigurationError as error:
        print_to_stderr(str(error))
        sys.exit(EXIT_USAGE)
    args = options.parse_arguments(root, command, arguments, settings)
    if file is not None and not getattr(args, "quiet", False):
        faults = [*file.faults, *file.unknown_keys(command_names()), *settings.faults]
    for fault in faults:
        print_to_stderr(fault)
    args.configuration = file
    return args


def _named_configuration(global_arguments: list[str]) -> str | None:
    """The FILE of `--config FILE` or `--config=FILE`."""
    for argument, following in zip(global_arguments, [*global_arguments[1:], ""], strict=False):
        if argument == "--config":
            return following
        if argument.startswith("--config="):
            return argument.partition("=")[2]
    return None


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    _reopen_closed_streams()
    _replace_unencodable()
    try:
        args = parse_command_line(arguments)
    except DeadheatError as error:
        print_to_stderr(str(error))
        return EXIT_ENVIRONMENT
    reduce_garbage_collection()
    # for a reader that closes the pipe, as `head` does: only `scan` has printed nothing but races by then
    status: int = getattr(args, "closed_pipe_status", EXIT_NOTHING)
    try:
        status = int(args.run(args))
        sys.stdout.flush()
        return status
    except DeadheatError as error:
        print_to_stderr(str(error))
        return EXIT_ENVIRONMENT
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _is_closed_pipe(sys.stdout):
            redirect_to_devnull(sys.stdout)
            return status
        # a full disk, or a closed output
        redirect_to_devnull(sys.stdout)
        where = error.filename or "standard output"
        print_to_stderr(str(DeadheatError(f"failed ({error.strerror or error})", str(where))))
        return EXIT_ENVIRONMENT
    except KeyboardInterrupt:
        print_to_stderr("interrupted")
        return EXIT_INTERRUPTED
    except Exception:  # noqa: BLE001, Python would exit with 1, which means races
        _print_internal_error()
        return EXIT_ENVIRONMENT


def _print_internal_error() -> None:
    import traceback

    for line in traceback.format_exc().splitlines():
        print_to_stderr(line)
    print_to_stderr("internal error in deadheat; please report it with the lines above")


def _is_closed_pipe(out: IO[str]) -> bool:
    """Whether nobody reads the output any more; a broken pipe may also be a connection, as to Spark."""
    if not hasattr(select, "poll"):  # Windows
        return True
    poll = select.poll()
    try:
        poll.register(out.fileno(), 0)
    except OSError:  # it has no descriptor
        return False
    return bool(poll.poll(0))


@contextmanager
def ignore_closed_pipe(out: IO[str]) -> Iterator[None]:
    """Goes on if the reader of `out` closes the pipe, for commands that still have to judge or to write."""
    try:
        yield
    except BrokenPipeError:
        redirect_to_devnull(out)


def redirect_to_devnull(out: IO[str]) -> None:
    """Discards buffered output, so that Python does not try to write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def _reopen_closed_streams() -> None:
    """Opens closed standard streams so that they fail, and no other file gets their number."""
    for number, name, flags in ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, flags), number)
            setattr(sys, name, os.fdopen(number, "w" if number else "r"))


def _replace_unencodable() -> None:
    """Prints a question mark for characters that the encoding of the terminal lacks."""
    for out in sys.stdout, sys.stderr:
        if isinstance(out, io.TextIOWrapper) and out.errors == "strict":
            out.reconfigure(errors="replace")


def reduce_garbage_collection() -> None:
    """Raises the thresholds of the garbage collector, which takes a fifth of a scan."""
    import gc

    gc.freeze()
    gc.set_threshold(200_000, 20, 50)


def add_path_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the PATH arguments."""
    command.add_argument("paths", nargs="+", metavar="PATH", help="file, folder or archive; - for standard input")
    add_archive_limits_option(command)


def add_archive_limits_option(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--archive-limits", metavar="NAME=SIZE,…", type=validated_type(_parse_archive_limits),
        help="change the limits on archives: bytes=20G,members=5M,depth=8",
    )  # fmt: skip


def add_map_option(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--map", action="append", default=[], type=_parse_path_map, metavar="FROM=TO",
        help="show paths below FROM as below TO, a folder of the repository; may repeat",
    )  # fmt: skip


def _parse_path_map(text: str) -> tuple[str, str]:
    printed, equals, target = text.partition("=")
    if not equals or not printed.rstrip("/"):
        raise argparse.ArgumentTypeError(f"{text!r} is not FROM=TO, such as /build/src=src")
    return printed, target


def _parse_archive_limits(text: str) -> ArchiveLimits:
    from deadheat.sources.archive_limits import parse_limits  # not needed by most runs

    return parse_limits(text)


def add_frames_option(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--frames", type=integer_at_least(1), default=DEFAULT_FRAMES, metavar="N",
        help=f"text: frames per stack (default: {DEFAULT_FRAMES})",
    )  # fmt: skip


def integer_at_least(minimum: int) -> Callable[[str], int]:
    """The argparse type of an integer option with a minimum."""

    def parse_integer(text: str) -> int:
        try:
            count = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not an integer") from None
        if count < minimum:
            raise argparse.ArgumentTypeError(f"must be {minimum} or more")
        return count

    return parse_integer


def validated_type(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """An argparse type that turns a DeadheatError of `parse` into a usage error."""

    def parse_checked(text: str) -> Any:
        try:
            return parse(text)
        except DeadheatError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parse_checked


def print_to_stderr(text: str, prefix: str = "deadheat") -> None:
    """Prints one line on stderr; a failure to write it is ignored."""
    try:
        with pause_progress():
            print(f"{prefix}: {visible_text(text)}", file=sys.stderr, flush=True)
    except OSError:
        redirect_to_devnull(sys.stderr)


def format_count(number: int, noun: str) -> str:
    """`1 race`, `2 races`."""
    return f"{number} {noun}{'s' * (number != 1)}"


if __name__ == "__main__":
    sys.exit(main())
