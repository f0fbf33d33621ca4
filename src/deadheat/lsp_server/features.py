"""Connects the requests of the protocol with what answers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from deadheat.lsp_server import commands, diagnostics
from deadheat.lsp_server.server import RaceServer, status_of

if TYPE_CHECKING:
    from deadheat.lsp_server.commands import Command

_COMMANDS: dict[str, Command] = {
    diagnostics.OPEN_DOSSIER: commands.open_dossier,
    diagnostics.MUTE: commands.mute_race,
    diagnostics.COPY: commands.copy_command,
    diagnostics.RUN: commands.run_reproduction,
}


def register_features(server: RaceServer) -> None:
    _register_start(server)
    _register_documents(server)
    _register_answers(server)
    for name, command in _COMMANDS.items():
        server.command(name)(_command_handler(server, command))


def _command_handler(server: RaceServer, command: Command) -> Any:
    async def handle(params: types.ExecuteCommandParams) -> Any:
        return await commands.run_command(server, command, params)

    return handle


def _register_start(server: RaceServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.start(params)

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        server.run_in_background(server.follow_sources())

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched_files_changed(_: types.DidChangeWatchedFilesParams) -> None:
        server.reload()

    @server.feature("deadheat/status")
    def status(_: Any) -> dict[str, Any]:
        return status_of(server)


def _register_documents(server: RaceServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.documents_changed()
        if not server.pulls_diagnostics:
            await server.wait_until_placed()
            server.push_diagnostics()

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(_: types.DidChangeTextDocumentParams) -> None:
        server.push_soon()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.forget_document(params.text_document.uri)


def _register_answers(server: RaceServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, types.DiagnosticOptions(False, False, identifier="deadheat"))
    async def diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        await server.wait_until_placed()
        found = diagnostics.diagnostics_of(server, params.text_document.uri)
        result_id = diagnostics.result_id_of(found)
        if result_id == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id)
        return types.RelatedFullDocumentDiagnosticReport(found, result_id=result_id)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        await server.wait_until_placed()
        return diagnostics.hover_of(server, params.text_document.uri, params.position.line)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        await server.wait_until_placed()
        return diagnostics.lenses_of(server, params.text_document.uri)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    )
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction]:
        await server.wait_until_placed()
        return diagnostics.actions_of(server, params)
