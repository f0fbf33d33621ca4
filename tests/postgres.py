"""A PostgreSQL cluster of Debian's package in a temporary folder, reached through its Unix socket."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.browser import skip_or_fail

_USER = "postgres"  # PostgreSQL refuses to run as root


def programs_folder() -> Path | None:
    """The folder of `initdb` and `pg_ctl`, which Debian keeps outside of PATH."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep)]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    wanted = ("createdb", "initdb", "pg_ctl", "postgres")
    found = [folder for folder in folders if all(Path(folder, name).is_file() for name in wanted)]
    return found[-1] if found else None


class PostgresCluster:
    """A running cluster; each test makes a database of its own."""

    def __init__(self) -> None:
        programs = programs_folder()
        if programs is None:
            skip_or_fail("no PostgreSQL is here: apt-get install postgresql")
        self.programs = programs
        self._folder = tempfile.mkdtemp(prefix="deadheat-pg-")
        self._count = 0
        if os.geteuid() == 0:
            shutil.chown(self._folder, _USER)
        self._run("initdb", "-D", f"{self._folder}/data", "-A", "trust", "-U", "deadheat", "-E", "UTF8", "--no-sync")
        settings = f"-k {self._folder} -c listen_addresses=''"
        self._run("pg_ctl", "-D", f"{self._folder}/data", "-o", settings, "-l", f"{self._folder}/log", "-w", "start")

    def new_database(self) -> str:
        """The URL of a new, empty database."""
        self._count += 1
        name = f"decisions{self._count}"
        self._run("createdb", "-h", self._folder, "-U", "deadheat", name)
        return f"postgresql://deadheat@/{name}?host={self._folder}"

    def close(self) -> None:
        self._run("pg_ctl", "-D", f"{self._folder}/data", "-m", "immediate", "-w", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self.programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", _USER, "--", *command]
        # the server inherits standard output of pg_ctl, so nobody may wait for its end
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd="/", check=False)
            output.seek(0)
            assert done.returncode == 0, output.read().decode()
