"""`deadheat lsp` with damaged and hostile inputs, with two clients at once, and when work is cancelled."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types
from markdown_it import MarkdownIt

from deadheat.lsp_server.commands import run_deadheat
from deadheat.lsp_server.line_map import LineMap, split_lines
from tests.editor_session import (
    ADD_LINE,
    CART,
    PACKAGE_ROOT,
    PUSH_CAPABILITIES,
    TOTAL_LINE,
    editor,
    race_report,
)  # fmt: skip
from tests.lake_facts import DocumentFacts, change_facts

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop" / "cart"
    folder.mkdir(parents=True)
    (folder / "cart.go").write_text(CART)
    return tmp_path / "shop"


def test_two_clients_share_a_lake(shop: Path, tmp_path: Path) -> None:
    from deadheat.lake import derivation
    from deadheat.lake.tables import Lake

    lake = Lake(str(tmp_path / "lake"))
    lake.create_tables()
    change_facts(lake, "first", [DocumentFacts("ci.log", race_report())])
    derivation.derive_races(lake, "derived")

    async def check() -> None:
        async with editor(shop, "--lake", lake.uri) as ann, editor(shop, "--lake", lake.uri) as bob:
            uris = [session.open(shop / "cart" / "cart.go") for session in (ann, bob)]
            for session, uri in zip((ann, bob), uris, strict=True):
                assert await session.lines(uri) == [ADD_LINE, TOTAL_LINE]
            ann.edit(uris[0], (0, 0), (0, 0), "\n")
            assert await ann.lines(uris[0]) == [ADD_LINE + 1, TOTAL_LINE + 1]
            assert await bob.lines(uris[1]) == [ADD_LINE, TOTAL_LINE]
            race = (await ann.diagnostics(uris[0]))[0].code
            assert "deadheat.mute" in await ann.actions(uris[0], ADD_LINE + 1)
            await ann.execute("deadheat.mute", race)

            async def muted() -> bool:
                return all(found.tags for found in await bob.diagnostics(uris[1]))

            await bob.wait_for(muted)
            assert "muted in the editor by" in (await bob.diagnostics(uris[1]))[0].message
            (_, title), *_ = await bob.lenses(uris[1])
            assert title.startswith("race seen once, last in ")
            assert title.endswith(", muted")

    asyncio.run(check())


def test_hostile_names_are_inert(shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "ci.log"
    log.write_text(race_report(method="Add](https://evil.example)<img\u202esrc=x>`@all"))
    uri_text = "https://evil.example"

    async def check() -> None:
        async with editor(shop, "--log", log) as session:
            uri = session.open(shop / "cart" / "cart.go")
            found = await session.diagnostics(uri)
            assert found
            assert all("\u202e" not in each.message and "\x1b" not in each.message for each in found)
            text = await session.hover(uri, ADD_LINE)
            tokens = MarkdownIt("commonmark", {"html": True}).enable("linkify", True).parseInline(text)
            kinds = {token.type for inline in tokens for token in inline.children or ()}
            assert not kinds & {"link_open", "html_inline", "image"}
            assert uri_text not in text.replace("\\", "") or "`" in text

    asyncio.run(check())


def test_damaged_sources_are_messages_and_the_server_lives(shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "ci.log"
    log.write_bytes(b"\xff\xfe\x00" + race_report().encode()[:700] + b"\x00\x80" * 500 + race_report().encode())
    baseline = tmp_path / "races.jsonl"
    baseline.write_text("{not json\n")
    (shop / ".git").mkdir()  # no repository

    async def check() -> None:
        options = ("--log", log, "--log", tmp_path / "none.log", "--baseline", baseline, "--lake", tmp_path / "no-lake")
        async with editor(shop, *options, initialization={"severity": 7, "allowRun": True, "map": []}) as session:
            uri = session.open(shop / "cart" / "cart.go")
            await session.lines(uri)
            text = "\n".join(session.messages)
            for fault in ("none.log", "races.jsonl:1", "no-lake", "'severity'", "'allowRun'", "'map'"):
                assert text.count(fault) == 1, text
            for bad in ("untitled:1", "file:///nowhere/x.go", "file:///%00", "http://host/a.go", ""):
                assert await session.lines(bad) == []
            session.edit(uri, (500, 3), (9000, 4), "x")  # outside of the text
            await session.lines(uri)
            assert await session.execute("deadheat.run", "0123456789abcdef") is None
            assert await session.execute("deadheat.mute", {"race": 1}) is None
            assert (await session.status()).loads == 1

    asyncio.run(check())


def test_files_outside_of_the_workspace_are_not_linked(shop: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.go"
    outside.write_text(CART)
    (shop / "cart" / "link.go").symlink_to(outside)
    log = tmp_path / "ci.log"
    log.write_text(race_report(str(outside)) + race_report("../../outside.go") + race_report("cart/link.go"))

    async def check() -> None:
        async with editor(shop, "--log", log) as session:
            assert await session.lines(session.open(outside)) == []
            assert await session.lines(session.open(shop / "cart" / "cart.go")) == []

    asyncio.run(check())


def test_nothing_of_the_workspace_is_imported_or_allowed(shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "ci.log"
    log.write_text(race_report())
    proof = tmp_path / "imported"
    for name in ("multiprocessing", "signal", "json", "argparse", "deadheat", "sitecustomize"):
        (shop / f"{name}.py").write_text(f"open({str(proof)!r}, 'w').close()\n")
    (shop / "deadheat.toml").write_text("[lsp]\nallow-run = true\n")

    async def check() -> None:
        async with editor(shop, "--log", log, cwd=tmp_path) as session:
            uri = session.open(shop / "cart" / "cart.go")
            assert await session.lines(uri) == [ADD_LINE, TOTAL_LINE]
            assert "deadheat.run" not in await session.actions(uri, ADD_LINE)
            assert any("deadheat.toml" in message for message in session.messages)
        assert not proof.exists()

    asyncio.run(check())


def test_cancelled_command_ends_its_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "started"
    seconds = f"4242.{os.getpid()}"
    script = f"sleep {seconds} & echo $$ > {mark}; sleep {seconds}"

    async def check() -> None:
        task = asyncio.ensure_future(run_deadheat(["--no-config", "run", "--", "sh", "-c", script]))
        while not mark.exists() or not mark.read_text():
            await asyncio.sleep(0.05)
        pid = int(mark.read_text())
        assert Path(f"/proc/{pid}").exists()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not Path(f"/proc/{pid}").exists()
        end = time.monotonic() + 5  # a killed process is gone a moment later
        while running_with(seconds) and time.monotonic() < end:
            await asyncio.sleep(0.05)
        assert not running_with(seconds)

    monkeypatch.setenv("PYTHONPATH", PACKAGE_ROOT)
    asyncio.run(check())


def running_with(word: str) -> list[str]:
    """The command lines of processes that contain a word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            found += [" ".join(map(os.fsdecode, words))] if word.encode() in words else []
    return found


def test_server_that_loses_its_client_ends_with_its_worker(shop: Path, tmp_path: Path) -> None:
    log = tmp_path / "ci.log"
    log.write_text(race_report())

    async def check() -> int:
        async with editor(shop, "--log", log, capabilities=PUSH_CAPABILITIES) as session:
            session.open(shop / "cart" / "cart.go")

            async def has_worker() -> bool:
                return bool((await session.status()).loads)

            await session.wait_for(has_worker)
            workers.extend(children_of(session.server_pid))
            assert workers
            return session.server_pid

    workers: list[int] = []
    server = asyncio.run(check())
    end = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in (server, *workers)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not [pid for pid in (server, *workers) if Path(f"/proc/{pid}").exists()]


def children_of(parent: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found += [int(entry.name)] if int(fields[1]) == parent else []
    return found


def test_start_imports_no_spark_and_no_lake() -> None:
    code = "import sys\nfrom deadheat import cli\n"
    code += "args = cli.parse_command_line(['lsp'])\n"
    code += "import deadheat.lsp_server.features\n"
    code += "print(*{name.partition('.')[0] for name in sys.modules})"
    environment = {**os.environ, "PYTHONPATH": PACKAGE_ROOT}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    names = {*done.stdout.split()}
    assert "pygls" in names
    assert not names & {"pyspark", "pyarrow", "deltalake", "sqlalchemy", "tree_sitter", "pandas", "numpy"}


def moved(old: str, new: str) -> list[int | None]:
    found = LineMap(old.split("|"), new.split("|"))
    return [found.new_line(number) for number in range(1, old.count("|") + 2)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a|b|c", "a|b|c", [1, 2, 3]),
        ("a|b|c", "x|a|b|y|c", [2, 3, 5]),
        ("a|b|c", "a|c", [1, None, 2]),
        ("a|}|b|}|c|}", "x|a|}|y|b|}|c|}", [2, 3, 5, 6, 7, 8]),
        ("a|b|c|d", "q|c|d|a|b|r", [None, None, 2, 3]),
        ("a", "", [None]),
    ],
)
def test_lines_are_followed(old: str, new: str, expected: list[int | None]) -> None:
    assert moved(old, new) == expected


def seconds_for(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def test_following_lines_of_hostile_files_is_linear() -> None:
    def changed(count: int) -> float:
        old, new = ["}", "x"] * count, ["x", "}", ""] * count
        return seconds_for(lambda: LineMap(old, new))

    assert changed(80_000) < 40 * max(changed(8_000), 0.002)


def test_lines_end_as_in_the_protocol() -> None:
    assert split_lines("a\r\nb\rc\nd\fe\u2028f") == ["a\r\n", "b\r", "c\n", "d\fe\u2028f"]
    assert split_lines("a\n") == ["a\n"]


def test_message_of_the_client_that_is_not_valid(shop: Path) -> None:
    async def check() -> None:
        async with editor(shop) as session:
            writer = session.client.protocol.writer
            assert writer is not None
            for body in (
                b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 7}}',
                b"{not json",
                b"[]",
                b'{"jsonrpc": "2.0", "method": "$/unknown"}',
            ):
                writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            session.client.text_document_did_close(
                types.DidCloseTextDocumentParams(types.TextDocumentIdentifier("file:///none.go"))
            )
            assert (await session.status()).races == 0
            assert any("no races to show" in message for message in session.messages)

    asyncio.run(check())
