"""A real client (pytest-lsp) of a real `deadheat lsp` over pipes, and a module with a race to show."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_lsp
from lsprotocol import types
from pygls.uris import from_fs_path

import deadheat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PACKAGE_ROOT = str(Path(deadheat.__file__).parents[1])
WAIT_SECONDS = 20.0
CART = """package cart

type Cart struct {
	total int
}

func (c *Cart) Add(n int) {
	c.total += n
}

func (c *Cart) Total() int {
	return c.total
}
"""
CART_TEST = """package cart

import "testing"

func TestCheckout(t *testing.T) {
	c := &Cart{}
	done := make(chan bool)
	go func() {
		c.Add(1)
		close(done)
	}()
	c.Total()
	<-done
}
"""
_COMMAND_NAME = re.compile(r"deadheat\.\w+")
ADD_LINE, TOTAL_LINE, GO_LINE = 8, 12, 8


def race_report(
    file: str = "/ci/shop/cart/cart.go", method: str = "Add", lines: tuple[int, int] = (ADD_LINE, TOTAL_LINE)
) -> str:
    """A report of the detector of Go about the module."""
    folder = file.rpartition("/")[0]
    return f"""==================
WARNING: DATA RACE
Write at 0x00c00012e018 by goroutine 8:
  example.com/shop/cart.(*Cart).{method}()
      {file}:{lines[0]} +0x44
  example.com/shop/cart.TestCheckout.func1()
      {folder}/cart_test.go:9 +0x33

Previous read at 0x00c00012e018 by goroutine 7:
  example.com/shop/cart.(*Cart).Total()
      {file}:{lines[1]} +0x3e
  example.com/shop/cart.TestCheckout()
      {folder}/cart_test.go:12 +0x9d
  testing.tRunner()
      /usr/local/go/src/testing/testing.go:1689 +0x21e

Goroutine 8 (running) created at:
  example.com/shop/cart.TestCheckout()
      {folder}/cart_test.go:{GO_LINE} +0x11a
  testing.tRunner()
      /usr/local/go/src/testing/testing.go:1689 +0x21e

Goroutine 7 (running) created at:
  testing.(*T).Run()
      /usr/local/go/src/testing/testing.go:1742 +0x825
  main.main()
      _testmain.go:47 +0x2be
==================
"""


def client_capabilities(**parts: Any) -> types.ClientCapabilities:
    """A client that pulls diagnostics, shows documents and cancels work."""
    return types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()),
        workspace=types.WorkspaceClientCapabilities(
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
        ),
        window=types.WindowClientCapabilities(
            work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
        ),
        **parts,
    )


PUSH_CAPABILITIES = types.ClientCapabilities()


class EditorSession:
    """One client with its server."""

    def __init__(self, client: pytest_lsp.LanguageClient, result: types.InitializeResult) -> None:
        self.client, self.result = client, result
        self._versions: dict[str, int] = {}

    @property
    def server_pid(self) -> int:
        process = self.client._server
        assert process is not None
        return process.pid

    def open(self, path: Path, text: str | None = None) -> str:
        uri = from_fs_path(str(path)) or ""
        content = path.read_bytes().decode("utf-8", "replace") if text is None else text
        self._versions[uri] = 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "go", 1, content))
        )
        return uri

    def edit(self, uri: str, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Replaces a range; lines and columns are counted from 0."""
        self._versions[uri] += 1
        place = types.Range(types.Position(*start), types.Position(*end))
        change = types.TextDocumentContentChangePartial(text=text, range=place)
        document = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def pull(self, uri: str, previous: str | None = None) -> Any:
        params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
        return await self._answer(self.client.text_document_diagnostic_async(params))

    async def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        return list((await self.pull(uri)).items)

    async def lines(self, uri: str) -> list[int]:
        """The lines with a diagnostic, counted from 1."""
        return [found.range.start.line + 1 for found in await self.diagnostics(uri)]

    async def hover(self, uri: str, line: int) -> str:
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line - 1, 2))
        found = await self._answer(self.client.text_document_hover_async(params))
        return found.contents.value if found else ""

    async def lenses(self, uri: str) -> list[tuple[int, str]]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        found = await self._answer(self.client.text_document_code_lens_async(params))
        return [(lens.range.start.line + 1, lens.command.title) for lens in found]

    async def actions(self, uri: str, line: int) -> set[str]:
        """The commands of the actions of a line."""
        place = types.Range(types.Position(line - 1, 0), types.Position(line - 1, 0))
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, types.CodeActionContext([]))
        found = await self._answer(self.client.text_document_code_action_async(params))
        # lsprotocol reads an action with a command as a command
        return {name for action in found for name in _COMMAND_NAME.findall(str(action.command))}

    async def execute(self, command: str, *arguments: Any) -> Any:
        params = types.ExecuteCommandParams(command, arguments=list(arguments))
        return await self._answer(self.client.workspace_execute_command_async(params))

    async def status(self) -> Any:
        return await self._answer(self.client.protocol.send_request_async("deadheat/status", {}))  # type: ignore[no-untyped-call]

    async def wait_for(self, condition: Any) -> Any:
        """Waits until an asynchronous condition holds; returns its value."""
        for _ in range(int(WAIT_SECONDS / 0.05)):
            if value := await condition():
                return value
            await asyncio.sleep(0.05)
        raise AssertionError(f"the condition did not hold; messages: {self.messages}")

    @property
    def messages(self) -> list[str]:
        return [message.message for message in self.client.messages]

    @property
    def log(self) -> list[str]:
        return [message.message for message in self.client.log_messages]

    async def _answer(self, request: Any) -> Any:
        return await asyncio.wait_for(request, WAIT_SECONDS)


@asynccontextmanager
async def editor(
    root: Path | None,
    *options: str | Path,
    capabilities: types.ClientCapabilities | None = None,
    initialization: Any = None,
    cwd: Path | None = None,
    prepare: Any = None,
) -> AsyncIterator[EditorSession]:
    """Starts `deadheat lsp` with options, opens a folder, and ends it in the way of the protocol."""
    client = pytest_lsp.make_test_lsp_client()
    if prepare is not None:
        prepare(client)
    words = [sys.executable, "-m", "deadheat", "lsp", *map(str, options)]
    environment = {**os.environ, "PYTHONPATH": PACKAGE_ROOT}
    await client.start_io(words[0], *words[1:], cwd=cwd or root, env=environment)
    folders = [types.WorkspaceFolder(from_fs_path(str(root)) or "", "shop")] if root else None
    params = types.InitializeParams(
        capabilities or client_capabilities(), workspace_folders=folders, initialization_options=initialization
    )
    try:
        result = await asyncio.wait_for(client.initialize_session(params), WAIT_SECONDS)
        yield EditorSession(client, result)
        await asyncio.wait_for(client.shutdown_session(), WAIT_SECONDS)
        process = client._server
        assert process is not None
        assert await asyncio.wait_for(process.wait(), WAIT_SECONDS) == 0
    finally:
        started = client._server
        if started is not None and started.returncode is None:  # a test has failed
            started.kill()
        await client.stop()  # type: ignore[no-untyped-call]
