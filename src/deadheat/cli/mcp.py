"""`deadheat mcp`: the commands as tools of the Model Context Protocol."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli.spark_and_lake import requires_extra
from deadheat.errors import DeadheatError
from deadheat.mcp_server.access import AllowedFolders
from deadheat.mcp_server.commands import TOKEN_VARIABLE, CommandRunner

if TYPE_CHECKING:
    from deadheat.mcp_server.tools import ToolRunner

_MAX_TOKEN_BYTES = 4096
_EXAMPLES = """examples:
  deadheat mcp --root ~/src/shop --lake ~/races-lake
  deadheat mcp --root ~/src/shop --repo ~/src/shop --allow-run
  deadheat mcp --root /srv/ci --http 0.0.0.0:8765 --allow-host races.example --token-file /run/secrets/mcp

exit status: 0 the client has ended the session, 2 wrong usage, 3 the environment failed
"""


def add_mcp_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "mcp",
        help="serve the commands as tools for coding agents (Model Context Protocol)",
        description="Serves tools that find, explain, reproduce and verify races, over standard input and output or"
        " over HTTP. It only reads, below the given folders, unless --allow-run is given.",
        epilog=_EXAMPLES,
    )
    command.add_argument(
        "--root", action="append", default=[], metavar="DIR",
        help="a folder in which clients may name paths, or the address of remote lakes; default: the working folder;"
        " may repeat",
    )  # fmt: skip
    command.add_argument("--lake", metavar="DIR", help="the lake that is used if a client names none")
    command.add_argument(
        "--repo",
        action="append",
        default=[],
        metavar="DIR",
        help="a clone that is used if a client names none; may repeat",
    )
    command.add_argument(
        "--allow-run",
        action="store_true",
        help="let clients build and run the code of clones: reproduce, verify, bisect",
    )
    command.add_argument(
        "--http", type=_parse_address, metavar="HOST:PORT", help="serve streamable HTTP at /mcp, not standard streams"
    )
    command.add_argument(
        "--token-file", metavar="FILE",
        help=f"with --http: the bearer token; default: {TOKEN_VARIABLE}; needed unless HOST is the loopback",
    )  # fmt: skip
    command.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME",
        help="with --http: a further name in the Host and Origin of requests; may repeat",
    )  # fmt: skip
    command.set_defaults(run=run_mcp, parser=command)


def _parse_address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:8765")
    return host, int(port)


def run_mcp(args: argparse.Namespace) -> int:
    folders = AllowedFolders(args.root or [str(Path.cwd())], _absolute_lake(args.lake), _absolute_paths(args.repo))
    config = str(args.configuration.path) if args.configuration and args.configuration.is_named else None
    commands = CommandRunner([*folders.roots], config)
    token = _read_token(args) if args.http else None
    with requires_extra("mcp"):
        from deadheat.mcp_server import server, tools  # slow: the models of the SDK
    runner = tools.ToolRunner(folders, commands, args.allow_run)
    if args.http:
        _serve_http(args, runner, token)
    else:
        import asyncio

        asyncio.run(server.serve_standard_streams(runner))
    return cli.EXIT_NOTHING


def _serve_http(args: argparse.Namespace, runner: ToolRunner, token: str | None) -> None:
    import asyncio

    from deadheat.mcp_server import http

    address = http.HttpAddress(*args.http)
    if token is None and not address.is_loopback:
        args.parser.error(f"{address.host} is not the loopback: give a token with --token-file or {TOKEN_VARIABLE}")
    if token is not None and len(token) < http.MIN_TOKEN_LENGTH:
        args.parser.error(f"the token is too short: it needs at least {http.MIN_TOKEN_LENGTH} characters")
    asyncio.run(http.serve_http(runner, address, token, args.allow_host))


def _read_token(args: argparse.Namespace) -> str | None:
    if args.token_file is None:
        return os.environ.get(TOKEN_VARIABLE, "").strip() or None
    try:
        with open(args.token_file, encoding="ascii") as file:
            token = file.read(_MAX_TOKEN_BYTES).strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not ASCII"
        raise DeadheatError(f"the token cannot be read ({reason})", args.token_file, "name another file") from None
    if not token:
        raise DeadheatError("the file has no token", args.token_file, "write one into it")
    return token


def _absolute_lake(lake: str | None) -> str | None:
    return lake if lake is None or "://" in lake else str(Path(lake).absolute())


def _absolute_paths(paths: list[str]) -> list[str]:
    return [str(Path(path).absolute()) for path in paths]
