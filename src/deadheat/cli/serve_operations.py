"""The options of `serve` about documents that arrive, the ingest, notifications and logs."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from deadheat import cli
from deadheat.cli import spark_and_lake
from deadheat.cli.configuration import ConfigurationError
from deadheat.errors import DeadheatError
from deadheat.sources.archive_limits import parse_size

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from deadheat.cli.configuration import ConfigurationFile
    from deadheat.web.operations.settings import OperationSettings

_DEFAULT_SIZE = "1G"


def add_operation_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--intake", metavar="DIR", help="receive documents over HTTP and keep them in this folder, for the next ingest"
    )
    command.add_argument(
        "--max-upload", type=cli.validated_type(parse_size), default=_DEFAULT_SIZE, metavar="SIZE",
        help=f"largest document that is received (default: {_DEFAULT_SIZE})",
    )  # fmt: skip
    command.add_argument(
        "--free-space", type=cli.validated_type(parse_size), default=_DEFAULT_SIZE, metavar="SIZE",
        help=f"what received documents leave free on the disk (default: {_DEFAULT_SIZE})",
    )  # fmt: skip
    command.add_argument(
        "--watch", action="extend", nargs="*", metavar="DIR",
        help="ingest what arrives, and what is new in these folders, with Spark in a process of its own",
    )  # fmt: skip
    command.add_argument(
        "--public-url", type=_parse_url, metavar="URL",
        help="address by which people reach the server, for links in notifications",
    )  # fmt: skip
    command.add_argument(
        "--test-notification", action="store_true", help="send a test to every destination of notifications, and end"
    )
    command.add_argument(
        "--log-format", choices=("text", "json"), default="text",
        help="json: an object per line, also for each request (default: text)",
    )  # fmt: skip


def _parse_url(text: str) -> str:
    import argparse

    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or not text.isprintable():
        raise argparse.ArgumentTypeError(f"{text!r} does not begin with https:// or http://")
    return text.rstrip("/")


def read_settings(args: argparse.Namespace, state_folder: str) -> OperationSettings:
    """The settings in the options and the configuration file; a wrong rule of notifications ends the command."""
    from deadheat.web.notify.rules import NotificationRuleError
    from deadheat.web.operations.settings import OperationSettings

    file: ConfigurationFile | None = args.configuration
    settings = OperationSettings(
        intake=args.intake or "", max_upload=args.max_upload, free_space=args.free_space,
        public_url=args.public_url or "", notify=_notify_tables(file), notify_folder=str(file.folder) if file else ".",
        owners=[(rule.pattern, [*rule.owners]) for rule in file.owner_rules] if file else [],
        log_format=args.log_format, state_folder=state_folder,
    )  # fmt: skip
    try:
        settings.destinations()
    except NotificationRuleError as error:
        args.parser.error(str(error))
    return settings


def _notify_tables(file: ConfigurationFile | None) -> list[dict[str, Any]]:
    """The tables `[[serve.notify]]`, with times as text."""
    serve = file.settings.get("serve") if file else None
    tables = serve.get("notify", []) if isinstance(serve, dict) else []
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        assert file is not None
        raise ConfigurationError("must be a list of tables, [[serve.notify]]", file.place_of("serve", "notify"))
    return [
        {key: value.isoformat() if isinstance(value, time) else value for key, value in table.items()}
        for table in tables
    ]


def send_tests(settings: OperationSettings) -> int:
    """Send a test to each destination, and print which could be reached."""
    from deadheat.web.notify.delivery import try_destinations

    destinations = settings.destinations()
    if not destinations:
        raise DeadheatError("there is no destination of notifications", do="write [[serve.notify]] in deadheat.toml")
    has_failed = False
    for name, error in try_destinations(destinations, settings.public_url):
        print(f"{name}: {error or 'sent'}", flush=True)
        has_failed = has_failed or bool(error)
    return cli.EXIT_ENVIRONMENT if has_failed else cli.EXIT_NOTHING


@contextmanager
def run_ingest(args: argparse.Namespace, settings: OperationSettings) -> Iterator[None]:
    """Keep an ingest running, if `--watch` asks for one."""
    if args.watch is None:
        yield
        return
    from deadheat.web.operations.background import INGEST_STATE_FILE
    from deadheat.web.operations.ingest_process import IngestSupervisor

    supervisor = IngestSupervisor(_ingest_arguments(args, settings), Path(settings.state_folder) / INGEST_STATE_FILE)
    supervisor.start()
    try:
        yield
    finally:
        supervisor.stop()


def require_watch(args: argparse.Namespace) -> None:
    """Raise an error if `--watch` has nothing to watch, or Spark is not installed.

    It is not imported: the server needs less memory than Spark. Without Java the ingest fails, and the page of the
    server says so.
    """
    if args.watch is None:
        return
    if not args.watch and not args.intake:
        args.parser.error("--watch needs folders, or --intake")
    if args.demo:
        args.parser.error("--watch cannot be used with --demo")
    if find_spec("pyspark") is None:
        raise DeadheatError("pyspark is not installed", do="pip install 'deadheat[spark]'")


def open_or_make_lake(args: argparse.Namespace) -> None:
    """Raise an error if there is no lake; with `--watch`, make an empty one."""
    lake = spark_and_lake.open_lake(args.lake)
    if args.watch is not None:
        lake.create_tables()
    lake.require()


def _ingest_arguments(args: argparse.Namespace, settings: OperationSettings) -> list[str]:
    """`deadheat ingest --watch` over the folder of received documents and the named folders."""
    intake = settings.intake_folder()
    folders = [str(intake.documents)] if intake else []
    file: ConfigurationFile | None = args.configuration
    configuration = ["--config", str(file.path)] if file is not None and file.is_named else []
    return [
        *configuration, "ingest", "--watch", "--every", "5", "--format", "json", "--lake", args.lake, "--",
        *folders, *args.watch,
    ]  # fmt: skip
