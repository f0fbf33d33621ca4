"""Connections to the database of decisions: SQLite in a file, or PostgreSQL; and its migrations."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from deadheat.errors import DeadheatError
from deadheat.triage.tables import counter

if TYPE_CHECKING:
    from collections.abc import Iterator

# the latest migration; a test compares it with the files
SCHEMA_REVISION = "0002"
_BUSY_SECONDS = 30
_MIGRATION_LOCK = 0x6465_6164  # any number that other programs hardly use
_DIALECTS = {"sqlite": "sqlite", "postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}


class DecisionDatabaseError(DeadheatError):
    """The database of decisions cannot be opened, read or written."""


class DecisionDatabase:
    """A database with transactions for reading and for writing."""

    def __init__(self, url: URL) -> None:
        self.shown_url = url.database or "" if is_sqlite(url) else url.render_as_string(hide_password=True)
        self.is_sqlite = is_sqlite(url)
        if self.is_sqlite:
            self._engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS})
            event.listen(self._engine, "connect", _configure_sqlite)
            event.listen(self._engine, "begin", _begin_sqlite)
        else:
            self._engine = create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})

    @property
    def engine(self) -> Engine:
        return self._engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that reads one state of the database."""
        with self._errors(), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that no other writer overlaps; it is on disk when the block ends."""
        with self._errors(), self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            if not self.is_sqlite:
                connection.execute(select(counter.c.value).with_for_update())
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turns an error of the database into one line; the statement and its values are not printed."""
        try:
            yield
        except DBAPIError as error:
            raise DecisionDatabaseError(*describe_database_error(error, self)) from error
        except SQLAlchemyError as error:
            what = str(error).partition("\n")[0]
            raise DecisionDatabaseError(what, self.shown_url, "check the address of the decisions") from error

    def revision(self) -> str | None:
        """The latest migration of the database; None if it has no tables."""
        with self.reading() as connection:
            if not inspect(connection).has_table("alembic_version"):
                return None
            row = connection.execute(text("SELECT version_num FROM alembic_version")).first()
            return str(row[0]) if row else None

    def upgrade(self, revision: str = "head") -> None:
        """Runs the migrations that are missing up to a revision; other processes that start meanwhile wait."""
        with self._errors(), self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            if not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
            _run_migrations(connection, revision)

    def close(self) -> None:
        self._engine.dispose()


def is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def parse_database_url(text: str) -> URL:
    """The URL of a database, or the path of a SQLite file."""
    if "://" not in text:
        return URL.create("sqlite", database=text)
    scheme = text.partition("://")[0].partition("+")[0]
    if scheme not in _DIALECTS:
        raise DecisionDatabaseError(
            f"{scheme}:// is not a database of decisions", do="use postgresql://USER@HOST/NAME or the path of a file"
        )
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise DecisionDatabaseError(
            "is not the address of a database", f"{scheme}://…", "use postgresql://USER@HOST/NAME or the path of a file"
        ) from None
    if scheme == "sqlite" and not url.database:
        raise DecisionDatabaseError("names no file", text, "use sqlite:///FILE")
    return url.set(drivername=_DIALECTS[scheme])


def _configure_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # a transaction that begins by reading cannot wait for another writer later
    is_writer = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writer else "BEGIN")


def describe_database_error(error: DBAPIError, database: DecisionDatabase) -> tuple[str, str, str]:
    """What failed, where, and what to do."""
    what = " ".join(str(error.orig).split()) or type(error.orig).__name__
    if "locked" in what and database.is_sqlite:
        return f"is locked by another process for {_BUSY_SECONDS} seconds", database.shown_url, "try again"
    if database.is_sqlite:
        return what, database.shown_url, "name a file that can be read and written, or restore a backup"
    return what, database.shown_url, "check that PostgreSQL runs and that the address is right"


def _run_migrations(connection: Connection, revision: str) -> None:
    """Runs the migrations up to a revision in the transaction of a connection."""
    from alembic import command  # slow to import
    from alembic.config import Config

    configuration = Config()
    configuration.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    configuration.attributes["connection"] = connection
    command.upgrade(configuration, revision)
