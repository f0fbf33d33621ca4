"""A client that has only the tools goes from a CI log to a verified fix, with the calls of a page of the docs."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp", reason="the server needs the SDK of the extra mcp")

from tests.mcp_clients import call, stdio_session
from tests.toolchain import go_environment
from tools import docs

if TYPE_CHECKING:
    from pathlib import Path

PAGE = docs.DOCS / "how-to" / "fix-with-an-agent.md"
RACE, RACING_COMMIT = "434f53b2b09cc912", "f07d6d03bc39c635468c030a34e55d9a24ddbb30"


def calls_of_page() -> list[tuple[str, dict[str, Any]]]:
    blocks = re.findall(r"^```json\n(.*?)\n```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return [(each["tool"], each["arguments"]) for each in map(json.loads, blocks)]


@pytest.fixture(scope="module")
def work_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the log and the clone of the example."""
    folder = tmp_path_factory.mktemp("agent")
    subprocess.run(["git", "init", "--quiet", folder / "shop"], check=True)
    with docs.EXAMPLE_HISTORY.open("rb") as history:
        subprocess.run(["git", "-C", folder / "shop", "fast-import", "--quiet"], stdin=history, check=True)
    shutil.copy(docs.ROOT / "examples" / "shop" / "logs" / "orders.log", folder / "ci.log")
    return folder


async def make_calls(folder: Path, names: list[str]) -> list[dict[str, Any]]:
    """The answers to the calls of the page to these tools."""
    options = ("--root", folder, "--allow-run")
    async with stdio_session(*options, environment=go_environment()) as client:
        return [await call(client, tool, **arguments) for tool, arguments in calls_of_page() if tool in names]


def test_agent_finds_and_explains_the_race(work_folder: Path) -> None:
    found, explained = asyncio.run(make_calls(work_folder, ["scan_paths", "explain"]))
    assert [race["race"] for race in found["data"]["races"]] == [RACE]
    (dossier,) = explained["data"]["races"]
    assert dossier["cause"]["title"] == "A lock on one side only"
    assert (dossier["variable"]["name"], dossier["variable"]["owner"]) == ("numbers", "Journal")
    assert dossier["pin"]["first"] == RACING_COMMIT
    assert [tool for tool, _ in calls_of_page()] == ["scan_paths", "explain", "reproduce", "verify", "verify"]


@pytest.mark.soak
def test_agent_verifies_its_fix(work_folder: Path) -> None:
    reproduced, first, second = asyncio.run(make_calls(work_folder, ["reproduce", "verify"]))
    assert reproduced["summary"] == "seen in 20 of 20 runs"
    assert first["data"]["result"]["verdict"] == "still races"
    assert "does not mean that it is fixed" in first["summary"]
    result = second["data"]["result"]
    assert result["verdict"] == "fixed"
    assert result["new"]["sightings"] == 0 < result["old"]["sightings"]
    assert result["racing_lines"]["is_proven"]
    assert second["summary"].startswith("verdict: fixed")
    status = ["git", "-C", str(work_folder / "shop"), "for-each-ref", "--format=%(refname)"]
    refs = subprocess.run(status, capture_output=True, text=True, check=True).stdout.split()
    assert all(ref.startswith(("refs/heads/", "refs/tags/")) for ref in refs)
