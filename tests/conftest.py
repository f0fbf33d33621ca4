"""Options and fixtures that all tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.repositories import MODULE, Repository

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# a JVM that is over soon need not collect garbage in parallel, nor prove that Spark's classes are sound
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# for a few rows, compiled code does not pay for its compilation
SETTINGS = {
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.executor.extraJavaOptions": _JAVA,
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="rewrite the expected side of cases")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share what is dear to make run in one process: Spark's session, a detector's texts."""
    for item in items:
        given = item.callspec.params if hasattr(item, "callspec") else {}
        shared = "spark" if "spark" in getattr(item, "fixturenames", ()) else given.get("detector")
        if shared:
            item.add_marker(pytest.mark.xdist_group(str(shared)))


@pytest.fixture
def rewrite(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--rewrite"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What clones have told is kept where no other test, and no user, finds it."""
    monkeypatch.setenv("DEADHEAT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A Go module with nothing in it yet."""
    made = Repository(tmp_path / "relay")
    made.put("begin", {"go.mod": f"module {MODULE}\n"})
    return made


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """The one session of the suite: to start another costs more than most tests."""
    from deadheat.errors import DeadheatError
    from deadheat.spark import session

    try:
        session.check_java()
    except DeadheatError as error:
        pytest.skip(str(error))
    started = session.start_session("local[2,4]", SETTINGS, small=True)
    yield started
    started.stop()
