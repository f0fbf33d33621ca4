"""What pygls leaves open: lines as the protocol defines them, and commands that can be cancelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.workspace import TextDocument, Workspace

from deadheat.lsp_server.line_map import split_lines

if TYPE_CHECKING:
    from collections.abc import Sequence


class EditorDocument(TextDocument):
    """A document whose lines end only where the protocol says; `str.splitlines` also breaks at a form feed."""

    _split: tuple[str | None, tuple[str, ...]] = (None, ())

    @property
    def lines(self) -> Sequence[str]:
        source = self.source
        if self._split[0] is not source:
            self._split = source, tuple(split_lines(source))
        return self._split[1]


class EditorWorkspace(Workspace):
    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        return EditorDocument(
            doc_uri, source, version, language_id, sync_kind=self._sync_kind, position_codec=self._position_codec
        )


class EditorProtocol(LanguageServerProtocol):
    def use_editor_lines(self) -> None:
        """Replaces the workspace of pygls, before any document is open."""
        known = self.workspace
        self._workspace = EditorWorkspace(
            known.root_uri, known._sync_kind, list(known.folders.values()), known.position_encoding
        )

    # pygls runs commands from a generator, which a cancelled request does not reach
    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Any:  # type: ignore[override]
        handler = self.fm.commands.get(params.command)
        if handler is None:
            from pygls.exceptions import JsonRpcInvalidParams

            raise JsonRpcInvalidParams.of(ValueError(f"there is no command {params.command!r}"))
        return await handler(params)
