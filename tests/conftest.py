"""Options and fixtures shared by all tests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from tests.object_store import s3, s3_server  # noqa: F401, fixtures
from tests.repositories import MODULE, Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# a short-lived JVM needs neither parallel garbage collection nor bytecode verification
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# code generation does not pay off for a few rows
SETTINGS = {
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
    "spark.executor.extraJavaOptions": JAVA_OPTIONS,
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

# the width of the terminal that runs the tests must not change what they see
os.environ.pop("COLUMNS", None)

# the same examples in every CI run; elsewhere they are random. No deadline: a busy machine is no fault.
# `make fuzz` has more examples than a test can have, so that 60 are enough here.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
settings.register_profile("local", deadline=None, max_examples=60)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="rewrite the expected side of cases")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share an expensive fixture run in one process: the Spark session, the texts of a detector, a race."""
    for item in items:
        params = item.callspec.params if hasattr(item, "callspec") else {}
        fixtures = getattr(item, "fixturenames", ())
        of_module = f"races of {item.path.stem}" if {"module", "often"} & {*fixtures} else None
        shared = "spark" if "spark" in fixtures else params.get("detector") or of_module
        if shared:
            item.add_marker(pytest.mark.xdist_group(str(shared)))


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty cache directory."""
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """An empty Go module."""
    repository = Repository(tmp_path / "relay")
    repository.put("begin", {"go.mod": f"module {MODULE}\n"})
    return repository


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """The only Spark session of the tests, as starting one is slow."""
    from deadheat.errors import DeadheatError
    from deadheat.spark import session

    try:
        session.check_java()
    except DeadheatError as error:
        pytest.skip(str(error))
    started = session.start_session("local[2,4]", SETTINGS, small=True)
    yield started
    started.stop()
