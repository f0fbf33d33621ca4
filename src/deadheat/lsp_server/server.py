"""The language server: its state, and how races get from the sources to the open files."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from deadheat._version import __version__
from deadheat.errors import DeadheatError
from deadheat.lsp_server.code_places import PlacedRaces, RacePlaces
from deadheat.lsp_server.protocol import EditorProtocol
from deadheat.lsp_server.race_index import RaceIndex, racing_file_names
from deadheat.lsp_server.race_text import plain_text
from deadheat.lsp_server.settings import ServerSettings, with_client_options
from deadheat.lsp_server.source_state import source_state
from deadheat.lsp_server.worker import SourceWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from deadheat.lsp_server.code_places import RaceDossier
    from deadheat.lsp_server.race_entries import RaceEntry

    # the settings, which of them are fixed, and faults
    SettingsOfFolder = Callable[[str], tuple[ServerSettings, frozenset[str], list[str]]]

_POLL_SECONDS, _EDIT_SECONDS, _WAIT_SECONDS = 1.0, 0.1, 30.0
_PLACES_PER_REQUEST = 20
_MAX_DOSSIERS = 100


class RaceServer(LanguageServer):
    """A server for one client. `settings_of` gives the settings for a workspace folder."""

    def __init__(self, settings_of: SettingsOfFolder) -> None:
        super().__init__("deadheat", __version__, protocol_cls=EditorProtocol, converter_factory=get_converter)
        self._settings_of = settings_of
        self.settings = ServerSettings()
        self.roots: tuple[str, ...] = ()
        self.index = RaceIndex(self._open_text)
        self.worker = SourceWorker()
        self.dossiers: dict[str, RaceDossier] = {}  # by race id
        self.load_count = self.place_count = 0
        self._shown_faults: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._placed = asyncio.Event()  # set while every race with a line in an open file is looked up
        self._wanted = asyncio.Event()  # set when the sources or the open files have changed
        self._reload_wanted = True
        self._pushed: set[str] = set()
        self._push_handle: asyncio.TimerHandle | None = None
        self._folder = ""
        self._open_paths: dict[str, str | None] = {}  # the real paths of the open files, by URI

    # -- start and end ------------------------------------------------------------------------------

    def start(self, params: types.InitializeParams) -> None:
        """Takes over the folders and options of the client."""
        self.protocol.use_editor_lines()  # type: ignore[attr-defined]
        folders = [folder.uri for folder in params.workspace_folders or ()]
        folders = folders or [uri for uri in (params.root_uri,) if uri]
        paths = [path for uri in folders if uri.startswith("file:") and (path := to_fs_path(uri))]
        self.roots = tuple(dict.fromkeys(map(os.path.realpath, paths)))
        settings, fixed, faults = self._settings_of(self.roots[0] if self.roots else "")
        root = self.roots[0] if self.roots else os.getcwd()  # noqa: PTH109
        self.settings, more = with_client_options(settings, params.initialization_options, root, fixed)
        faults += more
        for fault in faults:
            self.show_fault(fault)

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """Ends every process and removes every file that the server has made."""
        self.worker.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""

    # -- the sources --------------------------------------------------------------------------------

    @property
    def repos(self) -> tuple[str, ...]:
        """The clones: those of the settings, else the workspace folders that are one."""
        return self.settings.repos or tuple(root for root in self.roots if Path(root, ".git").exists())

    async def follow_sources(self) -> None:
        """Loads the races, and loads them again when their sources change. Runs until the server ends."""
        state: object = None
        self._reload_wanted = True
        while True:
            current = await asyncio.to_thread(source_state, self.settings)
            if current != state or self._reload_wanted:
                state, self._reload_wanted = current, False
                await self._load()
            await self._place_all()
            self._wanted.clear()
            try:
                await asyncio.wait_for(self._wanted.wait(), _POLL_SECONDS)
            except TimeoutError:
                continue

    def reload(self) -> None:
        """Loads the races again soon."""
        self._reload_wanted = True
        self._placed.clear()
        self._wanted.set()

    async def _load(self) -> None:
        if not self.settings.has_source:
            self.show_fault("no races to show: name a log, a lake or a baseline in deadheat.toml or in the settings")
            return
        try:
            loaded = await self.worker.load(self.settings)
        except DeadheatError as error:
            self.show_fault(str(error))
            return
        self.load_count += 1
        for fault in loaded.faults:
            self.show_fault(fault)
        reports = {entry.race: entry.report for entry in loaded.entries}
        for race, entry in self.index.entries.items():
            if reports.get(race) != entry.report:
                self.dossiers.pop(race, None)
        self.index.replace_entries(loaded.entries)
        self.refresh_client()

    async def _place_all(self) -> None:
        """Looks up the lines of all races in batches, those of open files first."""
        while missing := self.index.unplaced(names := self._open_names()):
            if names.isdisjoint(racing_file_names(missing[0])):
                self._placed.set()
            batch = missing[:_PLACES_PER_REQUEST]
            try:
                placed = await self.worker.place(batch, (*self.roots, *self.repos), self.repos)
            except DeadheatError as error:
                self.show_fault(str(error))
                placed = PlacedRaces(tuple(RacePlaces((), ()) for _ in batch), {})  # not tried again
            self.place_count += len(batch)
            for fault in placed.faults:
                self.show_fault(fault)
            self.index.add_places(batch, placed)
            if any(place and self._open_text(place.path) for places in placed.places for place in places.accesses):
                self.refresh_client()
        self._placed.set()

    def _open_names(self) -> set[str]:
        return {Path(document.path).name for document in self.workspace.text_documents.values() if document.path}

    async def wait_until_placed(self) -> None:
        """Waits until the races of the open files are looked up, but not for ever."""
        try:
            await asyncio.wait_for(self._placed.wait(), _WAIT_SECONDS)
        except TimeoutError:
            return

    async def dossier_of(self, entry: RaceEntry) -> RaceDossier:
        known = self.dossiers.get(entry.race)
        if known is None:
            known = await self.worker.make_dossier(entry, self.repos)
            while len(self.dossiers) >= _MAX_DOSSIERS:
                del self.dossiers[next(iter(self.dossiers))]
            self.dossiers[entry.race] = known
        return known

    # -- documents ----------------------------------------------------------------------------------

    def path_of(self, uri: str) -> str | None:
        """The real path of a file; None for what is no file."""
        if not uri.startswith("file:"):
            return None
        try:
            path = to_fs_path(uri)
            return os.path.realpath(path) if path else None
        except (OSError, ValueError):
            return None

    def _open_text(self, path: str) -> tuple[object, str] | None:
        document = self._open_documents().get(path)
        # the source is replaced by every edit, and clients may leave the version out
        return None if document is None else ((document.version, id(document.source)), document.source)

    def _open_documents(self) -> dict[str, Any]:
        documents = self.workspace.text_documents
        if self._open_paths.keys() != documents.keys():
            self._open_paths = {uri: self.path_of(document.uri) for uri, document in documents.items()}
        return {path: documents[uri] for uri, path in self._open_paths.items() if path}

    def documents_changed(self) -> None:
        """A file was opened: its races are looked up first."""
        self._placed.clear()
        self._wanted.set()

    # -- to the client ------------------------------------------------------------------------------

    def show_fault(self, text: str) -> None:
        """Tells the client about a fault, once."""
        if text in self._shown_faults or len(self._shown_faults) > 1000:
            return
        self._shown_faults.add(text)
        message = plain_text(f"deadheat: {text}")
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Logs what is no fault of the user: a message of the client that is not valid, or an error of ours."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, plain_text(f"deadheat: {error}")))

    @property
    def pulls_diagnostics(self) -> bool:
        text_document = self.client_capabilities.text_document
        return text_document is not None and text_document.diagnostic is not None

    def refresh_client(self) -> None:
        """Lets the client ask again for what depends on the races, or sends it."""
        workspace = self.client_capabilities.workspace
        diagnostics = workspace.diagnostics if workspace else None
        if diagnostics and diagnostics.refresh_support and self.pulls_diagnostics:
            self.protocol.send_request(types.WORKSPACE_DIAGNOSTIC_REFRESH, None)
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.protocol.send_request(types.WORKSPACE_CODE_LENS_REFRESH, None)
        self.push_diagnostics()

    def push_soon(self) -> None:
        """Sends diagnostics when nothing was typed for a moment."""
        if self.pulls_diagnostics:
            return
        if self._push_handle is not None:
            self._push_handle.cancel()
        self._push_handle = asyncio.get_running_loop().call_later(_EDIT_SECONDS, self.push_diagnostics)

    def push_diagnostics(self) -> None:
        """Sends the diagnostics of all open files to a client that does not ask for them."""
        if self.pulls_diagnostics:
            return
        from deadheat.lsp_server.diagnostics import diagnostics_of

        for document in list(self.workspace.text_documents.values()):
            found = diagnostics_of(self, document.uri)
            if found or document.uri in self._pushed:
                self._pushed.add(document.uri)
                self.text_document_publish_diagnostics(
                    types.PublishDiagnosticsParams(document.uri, found, document.version)
                )

    def forget_document(self, uri: str) -> None:
        if uri in self._pushed:
            self._pushed.discard(uri)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def write_document(self, name: str, text: str) -> str:
        """Writes a file into a private temporary folder, and returns its URI."""
        if not self._folder:
            self._folder = tempfile.mkdtemp(prefix="deadheat-lsp-")
        path = Path(self._folder, name)
        path.write_text(text, encoding="utf-8", errors="replace")
        return from_fs_path(str(path)) or ""

    def uri_of(self, path: str) -> str:
        return from_fs_path(path) or ""


def status_of(server: RaceServer) -> dict[str, Any]:
    """What `deadheat/status` answers: the work that was done so far."""
    return {
        "races": len(server.index.entries),
        "loads": server.load_count,
        "lookups": server.place_count,
        "comparisons": server.index.map_count,
        "sources": _described_sources(server.settings),
    }


def _described_sources(settings: ServerSettings) -> Sequence[str]:
    return [plain_text(source) for source in (*settings.logs, settings.lake, settings.baseline) if source]
