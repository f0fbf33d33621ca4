"""`deadheat lsp`: a language server that shows races in an editor."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import decisions, spark_and_lake
from deadheat.cli.options import was_given
from deadheat.errors import DeadheatError
from deadheat.lsp_server.settings import DEFAULT_SEVERITY, SEVERITIES, ServerSettings, is_web_address

if TYPE_CHECKING:
    from typing import BinaryIO

_EXAMPLES = """examples:
  deadheat lsp                                      sources from deadheat.toml or the settings of the editor
  deadheat lsp --log ci.log --repo .
  deadheat lsp --lake races-lake --dashboard https://races.example.com --allow-run

exit status: 0 ended by the client, 2 wrong usage, 3 the environment failed
"""
# option -> field of the settings
_FIELDS = {
    "log": "logs", "lake": "lake", "baseline": "baseline", "decisions": "decisions", "repo": "repos", "map": "maps",
    "severity": "severity", "dashboard": "dashboard", "allow_run": "allow_run",
}  # fmt: skip
_PATHS = ("log", "lake", "baseline", "decisions", "repo")


def add_lsp_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "lsp",
        help="show races in an editor (language server)",
        description="Speaks the Language Server Protocol on standard input and output: diagnostics on racing lines,"
        " moved by edits, with the other access, hovers, lenses and actions.",
        epilog=_EXAMPLES,
    )
    command.add_argument("--log", action="append", default=[], metavar="FILE", help="a log or a folder; may repeat")
    command.add_argument("--lake", metavar="DIR", help="folder or address of a lake")
    command.add_argument("--baseline", metavar="FILE", help="baseline: which races are known, and which are muted")
    decisions.add_decisions_option(command)
    command.add_argument(
        "--repo", action="append", default=[], metavar="DIR",
        help="a clone of the code (default: the folders that are open); may repeat",
    )  # fmt: skip
    cli.add_map_option(command)
    command.add_argument(
        "--severity", choices=SEVERITIES, default=DEFAULT_SEVERITY, help=f"default: {DEFAULT_SEVERITY}"
    )
    command.add_argument("--dashboard", type=_parse_address, metavar="URL", help="address of the dashboard, for links")
    command.add_argument("--allow-run", action="store_true", help="offer to run tests, after a question")
    command.set_defaults(run=run_lsp)


def _parse_address(text: str) -> str:
    if not is_web_address(text):
        raise argparse.ArgumentTypeError(f"{text!r} does not begin with http:// or https://")
    return text


def run_lsp(args: argparse.Namespace) -> int:
    with spark_and_lake.requires_extra("lsp"):
        from deadheat.lsp_server.features import register_features
        from deadheat.lsp_server.server import RaceServer
    for name in _PATHS:  # the folder may change
        value = getattr(args, name)
        setattr(args, name, [*map(_absolute, value)] if isinstance(value, list) else value and _absolute(value))
    os.environ["PYTHONSAFEPATH"] = "1"  # Python processes that it starts import nothing from the workspace
    server = RaceServer(lambda folder: _settings_of_folder(args, folder))
    register_features(server)
    source, target = _protocol_streams()
    try:
        server.start_io(source, target)
    finally:
        server.close()
    return cli.EXIT_NOTHING


def _absolute(path: str) -> str:
    return path if "://" in path else os.path.abspath(path)  # noqa: PTH100


def _protocol_streams() -> tuple[BinaryIO, BinaryIO]:
    """The streams of the protocol. What else is printed, also by child processes, goes to standard error."""
    sys.stdout.flush()
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as empty:
        os.dup2(empty.fileno(), 0)
    os.dup2(2, 1)
    return source, target


def _settings_of_folder(args: argparse.Namespace, folder: str) -> tuple[ServerSettings, frozenset[str], list[str]]:
    """The settings with the configuration file of a workspace folder, the options of the command line, and faults."""
    fixed = frozenset(name for name in _FIELDS if was_given(args, name))
    values, faults = vars(args), []
    if folder and os.path.realpath(folder) != os.path.realpath(os.curdir):
        try:
            os.chdir(folder)
            if args.configuration is None or not args.configuration.is_named:
                values = {**_values_of_folder(), **{name: values[name] for name in fixed}}
        except DeadheatError as error:
            faults.append(str(error))
        except OSError as error:
            faults.append(f"{folder}: cannot be opened: {error.strerror or error}")
    fields = {field: values[name] for name, field in _FIELDS.items()}
    for field in ("logs", "repos", "maps"):
        fields[field] = tuple(fields[field])
    return ServerSettings(**{field: value for field, value in fields.items() if value}), fixed, faults


def _values_of_folder() -> dict[str, object]:
    """The options of this command without a command line, in the folder of the workspace."""
    try:
        values = vars(cli.parse_command_line(["lsp"]))
    except SystemExit:
        what = "deadheat.toml is not used; its fault is on standard error"
        raise DeadheatError(what, os.getcwd(), "correct it, or give a file with --config") from None  # noqa: PTH109
    return {
        name: [*map(_absolute, values[name])] if isinstance(values[name], list) and name != "map" else values[name]
        for name in _FIELDS
    }
