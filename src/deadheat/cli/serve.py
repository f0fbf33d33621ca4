"""The command `serve`: the dashboard of a lake."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from deadheat import cli
from deadheat.cli import decisions, serve_operations, spark_and_lake
from deadheat.cli.code_links import add_link_template_option

if TYPE_CHECKING:
    import argparse

_EXAMPLES = """examples:
  deadheat serve --lake races-lake
  deadheat serve --lake races-lake --port 9000 --workers 2
  deadheat serve --lake races-lake --intake intake --watch logs/
  deadheat serve --lake races-lake --link-template github=https://github.com/acme/shop

exit status: 0 stopped, 2 wrong usage, 3 the environment failed, 130 interrupted
"""
DEFAULT_PORT = 8321


def add_serve_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = commands.add_parser(
        "serve",
        help="show a lake in a browser",
        description="Serves the dashboard of a lake: its races, their causes, fixes and sightings.",
        epilog=_EXAMPLES,
    )
    spark_and_lake.add_lake_option(command)
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
    serve_operations.add_operation_options(command)
    command.set_defaults(run=run_serve, parser=command)


def run_serve(args: argparse.Namespace) -> int:
    with spark_and_lake.requires_extra("web"):
        import alembic  # noqa: F401
        import duckdb  # noqa: F401, the tables of a lake import it when they are loaded
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import uvicorn  # noqa: F401

        from deadheat.web import server
    with tempfile.TemporaryDirectory(prefix="deadheat-serve-") as state_folder:
        settings = serve_operations.read_settings(args, state_folder)
        if args.test_notification:
            return serve_operations.send_tests(settings)
        server.check_host(args.host)
        serve_operations.require_watch(args)
        lake = spark_and_lake.open_lake(args.lake)
        if args.watch is not None:
            lake.create_tables()
        lake.require()
        options = server.ServerOptions(
            args.lake, args.host, args.port, args.workers, decisions.database_address(args) or "", args.link_template,
            args.documents, operations=settings,
        )  # fmt: skip
        with server.bind(options) as listener, serve_operations.run_ingest(args, settings):
            address = server.address_of(listener, args.host)
            server.run_server(options, listener, lambda: print(f"{address}  (Ctrl-C stops it)", flush=True))
    return cli.EXIT_NOTHING
