"""Diagnostics, lenses, hovers and code actions of a file."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from deadheat.lsp_server import race_text
from deadheat.printable import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.lsp_server.race_entries import RaceEntry
    from deadheat.lsp_server.race_index import RacingSite
    from deadheat.lsp_server.server import RaceServer

SOURCE = "deadheat"
OPEN_DOSSIER, MUTE, COPY, RUN = (f"{SOURCE}.{name}" for name in ("openDossier", "mute", "copyReproduceCommand", "run"))
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
_MAX_LENSES_OF_LINE = 3
_MAX_TITLE = 60


def diagnostics_of(server: RaceServer, uri: str) -> list[types.Diagnostic]:
    """One diagnostic for each racing line that is still in the file."""
    path = server.path_of(uri)
    sites = server.index.sites_in(path) if path else ()
    return [_diagnostic(server, path or "", site) for site in sites]


def result_id_of(diagnostics: list[types.Diagnostic]) -> str:
    """Equal for equal diagnostics."""
    return blake2b(repr(diagnostics).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _diagnostic(server: RaceServer, path: str, site: RacingSite) -> types.Diagnostic:
    entry, settings = site.entry, server.settings
    dossier = server.dossiers.get(entry.race)
    link = f"{settings.dashboard.rstrip('/')}/races/{entry.race}" if settings.dashboard else ""
    return types.Diagnostic(
        range=line_range(server, path, site.line),
        severity=_SEVERITIES["hint" if entry.is_muted else settings.severity],
        code=entry.race,
        code_description=types.CodeDescription(link) if link else None,
        source=SOURCE,
        message=race_text.diagnostic_message(entry, site.access, dossier.fields if dossier else None),
        tags=[types.DiagnosticTag.Unnecessary] if entry.is_muted else None,
        related_information=list(_related_places(server, site)) or None,
        data={"race": entry.race},
    )


def _related_places(server: RaceServer, site: RacingSite) -> Iterator[types.DiagnosticRelatedInformation]:
    """The other accesses, and where the threads are created."""
    texts = [(race_text.access_message(site.entry, n), place) for n, place in server.index.other_accesses(site)]
    actors = site.entry.report.actors
    texts += [(race_text.creation_message(actors[n]), place) for n, place in server.index.creations(site)]
    for text, place in texts:
        location = types.Location(server.uri_of(place.path), line_range(server, place.path, place.line))
        yield types.DiagnosticRelatedInformation(location, text)


def line_range(server: RaceServer, path: str, line: int) -> types.Range:
    """A line without the blanks at its ends, in the units of the client."""
    text = server.index.line_text(path, line)
    code = text.rstrip()
    start = len(code) - len(code.lstrip())
    position = server.workspace.position_encoding
    first, last = (types.Position(line - 1, _unit_count(part, position)) for part in (code[:start], code))
    return types.Range(first, last)


def _unit_count(text: str, encoding: Any) -> int:
    if text.isascii() or encoding == types.PositionEncodingKind.Utf32:
        return len(text)
    if encoding == types.PositionEncodingKind.Utf8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def hover_of(server: RaceServer, uri: str, line: int) -> types.Hover | None:
    """The summaries of the races of a line, counted from 0."""
    path = server.path_of(uri)
    sites = [site for site in server.index.sites_in(path) if site.line == line + 1] if path else []
    if not sites or path is None:
        return None
    texts = []
    for entry in {site.entry.race: site.entry for site in sites}.values():
        dossier = server.dossiers.get(entry.race)
        texts.append(race_text.hover_markdown(entry, dossier.fields if dossier else None))
    content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(texts))
    return types.Hover(content, line_range(server, path, line + 1))


def lenses_of(server: RaceServer, uri: str) -> list[types.CodeLens]:
    """A lens for each race on each function with a racing line."""
    path = server.path_of(uri)
    if path is None:
        return []
    by_line: dict[int, dict[str, RaceEntry]] = {}
    for site in server.index.sites_in(path):
        by_line.setdefault(site.function_line, {})[site.entry.race] = site.entry
    lenses = []
    for line, entries in sorted(by_line.items()):
        place = line_range(server, path, line)
        for entry in [*entries.values()][:_MAX_LENSES_OF_LINE]:
            command = types.Command(race_text.lens_title(entry), OPEN_DOSSIER, arguments=[entry.race])
            lenses.append(types.CodeLens(place, command))
    return lenses


def actions_of(server: RaceServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about the races in a range."""
    only = params.context.only
    if only and not any(types.CodeActionKind.QuickFix.startswith(str(getattr(kind, "value", kind))) for kind in only):
        return []
    path = server.path_of(params.text_document.uri)
    first, last = params.range.start.line + 1, params.range.end.line + 1
    sites = [site for site in server.index.sites_in(path) if first <= site.line <= last] if path else []
    entries = {site.entry.race: site.entry for site in sites}
    known = [each for each in params.context.diagnostics if each.source == SOURCE]
    actions = []
    for entry in entries.values():
        diagnostics = [each for each in known if each.code == entry.race] or None
        for title, command in _commands_for(server, entry):
            action = types.Command(title, command, arguments=[entry.race])
            kind = types.CodeActionKind.QuickFix
            actions.append(types.CodeAction(title, kind=kind, diagnostics=diagnostics, command=action))
    return actions


def _commands_for(server: RaceServer, entry: RaceEntry) -> Iterator[tuple[str, str]]:
    title = shorten(race_text.plain_text(entry.title), _MAX_TITLE)
    yield f"Open the dossier of {title}", OPEN_DOSSIER
    if not entry.is_muted and (server.settings.decisions_address or server.settings.baseline):
        yield f"Mute {title}", MUTE
    yield f"Copy the command that reproduces {title}", COPY
    if server.settings.allow_run and race_text.reproduction_words(entry, server.settings, server.repos):
        yield f"Run the tests that reproduce {title}", RUN
