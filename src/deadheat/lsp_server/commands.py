"""The commands that code actions and lenses run: open a dossier, mute, copy the reproduce command, run it."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import json
import os
import secrets
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from deadheat.errors import DeadheatError
from deadheat.lsp_server import race_text
from deadheat.printable import shorten

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from deadheat.lsp_server.code_places import RaceDossier
    from deadheat.lsp_server.race_entries import RaceEntry
    from deadheat.lsp_server.server import RaceServer

    Command = Callable[[RaceServer, RaceEntry, Sequence[Any]], Awaitable[Any]]

# a client that can ask for text says so in `experimental`, and answers this request
ASK_REASON = "deadheat/askReason"
_RUN, _CANCEL = "Run", "Cancel"
_INTERRUPT_SECONDS = 8.0
_MAX_REASON = 1_000


async def run_command(server: RaceServer, command: Command, params: types.ExecuteCommandParams) -> Any:
    """Runs a command for the race that its first argument names. A failure is a message, and the result is null."""
    arguments = params.arguments or []
    entry = server.index.entries.get(arguments[0]) if arguments and isinstance(arguments[0], str) else None
    if entry is None:
        _show(server, "this race is not in the sources any more", types.MessageType.Warning)
        return None
    try:
        return await command(server, entry, arguments[1:])
    except (DeadheatError, OSError) as error:
        _show(server, str(error), types.MessageType.Error)
        return None


def _show(server: RaceServer, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
    server.window_show_message(types.ShowMessageParams(kind, race_text.plain_text(f"deadheat: {text}")))


# -- dossier ----------------------------------------------------------------------------------------


async def open_dossier(server: RaceServer, entry: RaceEntry, _: Sequence[Any]) -> str:
    """Shows the dossier as a document, if the client can; the result is its text."""
    async with WorkProgress(server, "making the dossier") as progress:
        dossier: RaceDossier = await progress.run(server.dossier_of(entry))
    server.refresh_client()
    window = server.client_capabilities.window
    if window and window.show_document and window.show_document.support:
        uri = server.write_document(f"race-{entry.race}.md", dossier.markdown)
        await server.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True))
    return dossier.markdown


# -- mute -------------------------------------------------------------------------------------------


async def mute_race(server: RaceServer, entry: RaceEntry, arguments: Sequence[Any]) -> str | None:
    """Mutes a race as `deadheat gate mute` does; the result is the reason, null if the user has cancelled."""
    reason = await _reason(server, arguments)
    if reason is None:
        return None
    settings = server.settings
    if settings.lake or settings.decisions:
        target = [f"--lake={settings.lake}"] if settings.lake else []
        target += [f"--decisions={settings.decisions}"] if settings.decisions else []
    elif settings.baseline:
        target = [f"--baseline={settings.baseline}"]
    else:
        raise DeadheatError("nothing to write the mute into", do="name a baseline or a lake in the settings")
    words = ["--no-config", "gate", "mute", entry.race, *target, f"--reason={reason}", "--quiet"]
    status, _, errors = await run_deadheat(words)
    if status:
        raise DeadheatError(_last_line(errors) or f"the race could not be muted (status {status})")
    server.reload()
    _show(server, f"race {entry.race} is muted: {reason}")
    return reason


async def _reason(server: RaceServer, arguments: Sequence[Any]) -> str | None:
    """The reason of the arguments, else what the client asks for, else a default."""
    default = f"muted in the editor by {_user_name()}"
    given = arguments[0] if arguments else None
    if given is None and _can_ask(server):
        given = await server.protocol.send_request_async(ASK_REASON, {"default": default})
        if given is None:
            return None
    if given is None:
        return default
    text = given if isinstance(given, str) else getattr(given, "reason", "")
    return shorten(" ".join(str(text).split()), _MAX_REASON) or None


def _can_ask(server: RaceServer) -> bool:
    experimental: Any = server.client_capabilities.experimental
    if isinstance(experimental, dict):
        return bool(experimental.get("deadheatAskReason"))
    return bool(getattr(experimental, "deadheatAskReason", False))


def _user_name() -> str:
    try:
        return os.environ.get("DEADHEAT_ACTOR") or getpass.getuser()
    except (KeyError, OSError):
        return "an unknown user"


# -- reproduce --------------------------------------------------------------------------------------


async def copy_command(server: RaceServer, entry: RaceEntry, _: Sequence[Any]) -> str | None:
    """Shows the command that reproduces a race, so that it can be copied; it is also the result."""
    dossier = server.dossiers.get(entry.race)
    command = race_text.reproduction_command(entry, server.settings, server.repos, dossier.fields if dossier else None)
    if not command:
        raise DeadheatError("the command needs the log or the lake of the race, and a clone", entry.race)
    _show(server, command)
    return command


async def run_reproduction(server: RaceServer, entry: RaceEntry, _: Sequence[Any]) -> Any:
    """Runs `deadheat reproduce` after the user has agreed; the result is its JSON."""
    if not server.settings.allow_run:
        raise DeadheatError("nothing is run", do="start the server with --allow-run")
    words = race_text.reproduction_words(entry, server.settings, server.repos)
    if not words:
        raise DeadheatError("a run needs the log or the lake of the race, and a clone", entry.race)
    question = (
        f"Run the tests of {', '.join(server.repos)} to reproduce race {entry.race}? This runs code of the repository."
    )
    actions = [types.MessageActionItem(_RUN), types.MessageActionItem(_CANCEL)]
    answer = await server.window_show_message_request_async(
        types.ShowMessageRequestParams(types.MessageType.Warning, race_text.plain_text(question), actions)
    )
    if answer is None or answer.title != _RUN:
        return None
    async with WorkProgress(server, f"reproducing race {entry.race}") as progress:
        words = [*words, "--yes", "--quiet", "--format=json"]
        status, output, errors = await progress.run(run_deadheat(words, server.repos[0]))
    if status not in (0, 1):
        raise DeadheatError(_last_line(errors) or f"`deadheat reproduce` has failed (status {status})")
    result = json.loads(output)
    _show(server, f"race {entry.race} was seen in {result['sightings']} of {result['runs']} runs")
    return result


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1].removeprefix("deadheat: ") if lines else ""


# -- child processes --------------------------------------------------------------------------------


async def run_deadheat(words: Sequence[str], folder: str | None = None) -> tuple[int, str, str]:
    """Runs a command of deadheat; status, output and errors. If it is cancelled, its processes are ended."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "deadheat", *words,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        cwd=folder, start_new_session=True,
    )  # fmt: skip
    reading = asyncio.ensure_future(process.communicate())
    try:
        output, errors = await asyncio.shield(reading)
    except asyncio.CancelledError:
        await asyncio.shield(_end_process(process, reading))
        raise
    return process.returncode or 0, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")


async def _end_process(process: asyncio.subprocess.Process, reading: asyncio.Future[Any]) -> None:
    """Interrupts a command, so that it ends its trials and removes its folders; then kills what is left of it."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    waiting = asyncio.ensure_future(process.wait())
    await asyncio.wait([waiting], timeout=_INTERRUPT_SECONDS)
    for pid in {process.pid, *_processes_of_session(process.pid)}:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getsid(pid) == process.pid:
                os.kill(pid, signal.SIGKILL)
    await asyncio.wait([reading, waiting], timeout=_INTERRUPT_SECONDS)


def _processes_of_session(session: int) -> list[int]:
    """The processes of a session, also those in groups of their own; empty where there is no /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.getsid(int(entry.name)) == session:
                found.append(int(entry.name))
    return found


class WorkProgress:
    """A progress that the client shows, and that its user can cancel."""

    def __init__(self, server: RaceServer, title: str) -> None:
        self._server, self._title = server, title
        self._token = f"deadheat-{secrets.token_hex(8)}"
        self._is_shown = False
        self._ticker: asyncio.Task[None] | None = None

    async def __aenter__(self) -> WorkProgress:
        window = self._server.client_capabilities.window
        if window and window.work_done_progress:
            progress = self._server.work_done_progress
            await progress.create_async(self._token)
            progress.begin(self._token, types.WorkDoneProgressBegin(self._title, cancellable=True))
            self._is_shown = True
            self._ticker = asyncio.ensure_future(self._report_time())
        return self

    async def run(self, work: Awaitable[Any]) -> Any:
        """Waits for the work; cancels it if the user cancels the progress."""
        task = asyncio.ensure_future(work)
        if self._is_shown:
            loop = asyncio.get_running_loop()
            cancelled = self._server.work_done_progress.tokens[self._token]
            cancelled.add_done_callback(lambda _: loop.call_soon_threadsafe(task.cancel))
        try:
            return await task
        except asyncio.CancelledError:
            task.cancel()
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                with contextlib.suppress(asyncio.CancelledError):
                    await task
                raise
            raise DeadheatError("cancelled") from None

    async def _report_time(self) -> None:
        start = time.monotonic()
        while True:
            await asyncio.sleep(1)
            report = types.WorkDoneProgressReport(message=f"{time.monotonic() - start:.0f} s", cancellable=True)
            self._server.work_done_progress.report(self._token, report)

    async def __aexit__(self, *_: object) -> None:
        if self._ticker is not None:
            self._ticker.cancel()
        if self._is_shown:
            progress = self._server.work_done_progress
            progress.end(self._token, types.WorkDoneProgressEnd())
            progress.tokens.pop(self._token, None)
