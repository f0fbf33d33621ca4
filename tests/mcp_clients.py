"""Clients of the MCP server: those of the SDK, with a real process at the other end."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import jsonschema
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

import deadheat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from mcp.types import CallToolResult

MODERN, HANDSHAKE = "auto", "legacy"  # the two generations of the protocol
PACKAGE_ROOT = str(Path(deadheat.__file__).parents[1])


def server_words(*options: str | Path) -> list[str]:
    return [sys.executable, "-m", "deadheat", "mcp", *map(str, options)]


def server_environment(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    return {**(os.environ if environment is None else environment), "PYTHONPATH": PACKAGE_ROOT}


@asynccontextmanager
async def stdio_session(
    *options: str | Path, mode: str = MODERN, environment: Mapping[str, str] | None = None
) -> AsyncIterator[Client]:
    """A client of a server of its own."""
    command, *words = server_words(*options)
    parameters = StdioServerParameters(command=command, args=words, env=server_environment(environment))
    async with Client(stdio_client(parameters), mode=mode) as client:
        yield client


class HttpServer(NamedTuple):
    url: str
    process: subprocess.Popen[str]


@contextmanager
def http_server(*options: str | Path, **variables: str) -> Iterator[HttpServer]:
    """A server on a free port of the loopback."""
    words = server_words("--http", "127.0.0.1:0", *options)
    process = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**server_environment(), **variables}
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert "listens on" in line, line
        yield HttpServer(line.split()[-1], process)
    finally:
        process.terminate()
        process.communicate(timeout=20)


@asynccontextmanager
async def http_session(url: str, token: str | None = None, mode: str = MODERN) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        create_mcp_http_client(headers=headers) as http_client,
        Client(streamable_http_client(url, http_client=http_client), mode=mode) as client,
    ):
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a tool, checked against the schema that the server lists."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    (schema,) = [each.output_schema for each in (await client.list_tools()).tools if each.name == tool]
    assert schema is not None
    jsonschema.Draft202012Validator(schema).validate(result.structured_content)
    answer: dict[str, Any] = result.structured_content
    return answer


async def error_of(client: Client, tool: str, **arguments: Any) -> str:
    """The text of a call that fails."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert result.structured_content is None
    return text_of(result)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert content.type == "text"
    return content.text
