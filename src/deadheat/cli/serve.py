"""The command `serve`: the dashboard of a lake."""

from __future__ import annotations

import signal
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import decisions, serve_operations, spark_and_lake
from deadheat.cli.code_links import add_link_template_option
from deadheat.cli.serve_access import access_settings, add_access_options

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """examples:
  deadheat serve --demo
  deadheat serve --lake races-lake
  deadheat serve --lake races-lake --port 9000 --workers 2
  deadheat serve --lake races-lake --intake intake --watch logs/
  deadheat serve --lake races-lake --link-template github=https://github.com/acme/shop

exit status: 0 stopped, 2 wrong usage, 3 the environment failed, 130 interrupted
"""
DEFAULT_PORT = 8321
# what the server imports when it needs it
_MODULES = ("alembic", "duckdb", "fastapi", "jinja2", "uvicorn")


def add_serve_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "serve",
        help="show a lake in a browser",
        description="Serves the dashboard of a lake: its races, their causes, fixes and sightings.",
        epilog=_EXAMPLES,
    )
    command.add_argument("--lake", metavar="DIR", help="folder or address of the lake")
    command.add_argument("--demo", action="store_true", help="show a bundled lake; decisions about it are not kept")
    command.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="default: 127.0.0.1")
    command.add_argument(
        "--port", type=cli.integer_at_least(0), default=DEFAULT_PORT, metavar="N",
        help=f"0 chooses a free one (default: {DEFAULT_PORT})",
    )  # fmt: skip
    command.add_argument(
        "--workers", type=cli.integer_at_least(1), default=1, metavar="N", help="processes (default: 1)"
    )
    decisions.add_decisions_option(command)
    command.add_argument(
        "--documents", action="append", default=[], metavar="DIR",
        help="show the text around a sighting from documents in this folder; may repeat",
    )  # fmt: skip
    add_link_template_option(command)
    add_access_options(command)
    serve_operations.add_operation_options(command)
    command.set_defaults(run=run_serve, parser=command)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def run_serve(args: argparse.Namespace) -> int:
    if not (args.demo or args.lake):
        args.parser.error("one of --lake and --demo is required")
    with spark_and_lake.requires_extra("web"):
        for module in _MODULES:
            import_module(module)
        from deadheat.web import demo, server
    access = access_settings(args)
    with TemporaryDirectory(prefix="deadheat-serve-") as folder:
        settings = serve_operations.read_settings(args, folder)
        if args.test_notification:
            return serve_operations.send_tests(settings)
        serve_operations.require_watch(args)
        if args.demo:
            lake, database = map(str, demo.unpack_demo(Path(folder)))
        else:
            lake, database = args.lake, decisions.database_address(args) or ""
            serve_operations.open_or_make_lake(args)
        options = server.ServerOptions(
            lake,
            args.host,
            args.port,
            args.workers,
            database,
            args.link_template,
            args.documents,
            access,
            operations=settings,
        )
        # the server raises the signal again when it has ended; then the ingest ends, and the folder is removed
        signal.signal(signal.SIGTERM, _interrupt)
        with server.bind(options) as listener, serve_operations.run_ingest(args, settings), suppress(KeyboardInterrupt):
            address = server.address_of(listener, args.host)
            server.run_server(options, listener, lambda: print(f"{address}  (Ctrl-C stops it)", flush=True))
    return cli.EXIT_NOTHING
