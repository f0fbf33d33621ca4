"""Runs a command of deadheat in a process of its own; if a call is cancelled, all that it started is killed."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from deadheat.errors import DeadheatError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    ProgressListener = Callable[["CommandProgress"], Awaitable[None]]

TOKEN_VARIABLE: Final = "DEADHEAT_MCP_TOKEN"
_WORKER: Final = "deadheat.cli.mcp_worker"
_MAX_OUTPUT_BYTES: Final = 1 << 26
_MAX_MESSAGES, _MAX_MESSAGE_BYTES = 40, 2_000
_SECONDS_BETWEEN_PROGRESS: Final = 0.5
_USAGE_STATUS, _INTERNAL_ERROR = 2, "internal error in deadheat"


class CommandProgress(NamedTuple):
    """How far a command is: the line that a terminal would show."""

    text: str
    seconds: float


class CommandOutput(NamedTuple):
    """What a command printed."""

    status: int
    output: bytes
    messages: list[str]
    is_cut: bool

    def parse_json(self) -> Any:
        if self.is_cut:
            raise DeadheatError("the answer is too long", do="ask for less: one file, one race, or a --limit")
        return json.loads(self.output)


@dataclass(frozen=True, slots=True)
class CommandRunner:
    """Starts commands; `roots` are the folders that links in scanned folders may lead to."""

    roots: Sequence[str]
    config: str | None = None

    async def run(
        self,
        words: Sequence[str],
        files: Mapping[str, str],
        statuses: Sequence[int],
        seconds: float,
        listener: ProgressListener,
    ) -> CommandOutput:
        """Run a command in a new folder with these files, and wait until it ends.

        Raises DeadheatError for another exit status than `statuses`, and after `seconds`.
        """
        folder = tempfile.mkdtemp(prefix="deadheat-mcp-")
        try:
            for name, text in files.items():
                Path(folder, name).write_text(text, encoding="utf-8", errors="surrogatepass")
            try:
                async with asyncio.timeout(seconds):
                    result = await self._run_worker(words, folder, listener)
            except TimeoutError:
                raise DeadheatError(f"stopped after {seconds:.0f} s", words[0], "ask for less") from None
        finally:
            await asyncio.to_thread(_remove_folder, folder)
        _check_status(result, statuses)
        return result

    async def _run_worker(self, words: Sequence[str], folder: str, listener: ProgressListener) -> CommandOutput:
        progress_read, progress_write = os.pipe()
        lifeline_read, lifeline_write = os.pipe()
        settings = ["--config", self.config] if self.config else ["--no-config"]
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", _WORKER, str(progress_write), str(lifeline_read)),
                *(json.dumps(list(self.roots)), *settings, *words),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=folder,
                env={name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE} | {"TMPDIR": folder},
                start_new_session=True,
                pass_fds=(progress_write, lifeline_read),
            )
        except BaseException:
            os.close(progress_read)
            os.close(lifeline_write)
            raise
        finally:
            os.close(progress_write)
            os.close(lifeline_read)
        return await _follow_process(process, progress_read, lifeline_write, folder, listener)


async def _follow_process(
    process: asyncio.subprocess.Process, progress_read: int, lifeline: int, folder: str, listener: ProgressListener
) -> CommandOutput:
    assert process.stdout is not None
    assert process.stderr is not None
    showing = asyncio.ensure_future(_show_progress(progress_read, listener))
    reading = asyncio.ensure_future(_read_messages(process.stderr))
    try:
        output, is_cut = await _read_output(process.stdout)
        if is_cut:
            _kill_tree(process.pid)
        messages = await reading
        status = await process.wait()
    finally:
        if process.returncode is None:
            _kill_tree(process.pid)
        os.close(lifeline)
        showing.cancel()
        reading.cancel()
    # names of our temporary folder say nothing to a client
    output = output.replace(f"{folder}/".encode(), b"")
    return CommandOutput(status, output, [text.replace(f"{folder}/", "") for text in messages], is_cut)


async def _read_output(stream: asyncio.StreamReader) -> tuple[bytes, bool]:
    """The output, and whether only its beginning was read."""
    output = bytearray()
    while chunk := await stream.read(1 << 16):
        output += chunk
        if len(output) > _MAX_OUTPUT_BYTES:
            return bytes(output), True
    return bytes(output), False


async def _read_messages(stream: asyncio.StreamReader) -> list[str]:
    """The last lines on standard error."""
    lines: list[str] = []
    rest = b""
    while chunk := await stream.read(1 << 16):
        *complete, rest = (rest + chunk).split(b"\n")
        rest = rest[:_MAX_MESSAGE_BYTES]
        lines += [line[:_MAX_MESSAGE_BYTES].decode(errors="replace") for line in complete if line]
        del lines[:-_MAX_MESSAGES]
    return [line.partition(": ")[2] if line.startswith("deadheat") else line for line in lines]


async def _show_progress(descriptor: int, listener: ProgressListener) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 16)
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(descriptor, "rb", buffering=0)
    )
    started = shown = loop.time()
    try:
        while line := await reader.readline():
            now = loop.time()
            if now - shown >= _SECONDS_BETWEEN_PROGRESS:
                shown = now
                await listener(CommandProgress(line.decode(errors="replace").strip(), now - started))
    except ValueError:  # a line that is too long
        pass
    finally:
        transport.close()


def _check_status(result: CommandOutput, statuses: Sequence[int]) -> None:
    if result.is_cut or result.status in statuses:
        return
    messages = [line for line in result.messages if line]
    if any(_INTERNAL_ERROR in line for line in messages):
        raise DeadheatError("internal error in deadheat", do="please report it, with the call that causes it")
    if result.status < 0:
        raise DeadheatError(f"the command was ended by signal {-result.status}", do="ask for less")
    if result.status == _USAGE_STATUS:
        messages = [line.partition("; see deadheat")[0] for line in messages]
    raise DeadheatError("; ".join(messages[-5:]) or f"the command failed with status {result.status}")


def _kill_tree(pid: int) -> None:
    """Kill a process and all that it started, which may be in sessions of their own."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)  # so that it starts nothing more
    for found in [*_descendants(pid), pid]:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(found, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    with suppress(OSError), os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdigit():
                with suppress(OSError, ValueError, IndexError):
                    stat = Path(entry.path, "stat").read_bytes()
                    children.setdefault(int(stat.rpartition(b")")[2].split()[1]), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _remove_folder(folder: str) -> None:
    """Remove a folder that a test may have made unwritable."""
    shutil.rmtree(folder, ignore_errors=True)
    if Path(folder).exists():
        for path, _, _ in os.walk(folder):
            with suppress(OSError):
                Path(path).chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)
