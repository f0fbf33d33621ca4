"""`python -m bench.editor`: processor time of the diagnostics of a large file, compared with that of an edit alone."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from deadheat.lsp_server.code_places import CodePlace, PlacedRaces, RacePlaces
from deadheat.lsp_server.diagnostics import diagnostics_of
from deadheat.lsp_server.line_map import comparable_lines, split_lines
from deadheat.lsp_server.protocol import EditorWorkspace
from deadheat.lsp_server.race_entries import RaceEntry
from deadheat.lsp_server.server import RaceServer
from deadheat.lsp_server.settings import ServerSettings
from deadheat.model import Access, Frame, Op, Origin, Report

if TYPE_CHECKING:
    from collections.abc import Callable

LINES, RACES, ROUNDS = 10_000, 50, 20
LIMIT = 0.1  # seconds
PATH = "/workspace/cart/cart.go"


def main() -> None:
    text = "".join(f"\tc.total{number} += n\n" if number % 3 else "}\n" for number in range(LINES))
    server = _server_with_races(text)
    document = server.workspace.get_text_document(f"file://{PATH}")
    times: list[float] = []
    edits: list[float] = []
    for number in range(ROUNDS):
        line = number * (LINES // ROUNDS)
        place = types.Range(types.Position(line, 0), types.Position(line, 0))
        change = types.TextDocumentContentChangePartial(text=f"// {number}\n", range=place)
        edits.append(_seconds(partial(document.apply_change, change)))
        document.version = number + 2
        times.append(_seconds(lambda: diagnostics_of(server, document.uri)))
        assert len(diagnostics_of(server, document.uri)) == 2 * RACES
    split = min(_seconds(lambda: comparable_lines(split_lines(text))) for _ in range(ROUNDS))
    print("| what | processor time | ratio to splitting the text |")
    print("|---|---:|---:|")
    rows = ("split the text into lines", [split]), ("one edit", edits), (f"diagnostics, {2 * RACES} lines", times[1:])
    for name, values in rows:
        print(f"| {name} | {1000 * max(values):.1f} ms | {max(values) / split:.1f} |")
    assert max(times[1:]) < LIMIT


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _server_with_races(text: str) -> RaceServer:
    server = RaceServer(lambda _: (ServerSettings(), frozenset(), []))
    server.protocol._workspace = workspace = EditorWorkspace(None)
    server.roots = ("/workspace",)
    workspace.put_text_document(types.TextDocumentItem(f"file://{PATH}", "go", 1, text))
    entries, places = [], []
    for number in range(RACES):
        lines = 1 + number * (LINES // RACES), 101 + number * (LINES // RACES)
        frames = [Frame("cart.(*Cart).Add", "cart", "cart/cart.go", line, Origin.USER) for line in lines]
        accesses = tuple(
            Access(Op.WRITE, f"goroutine {line}", (f,), site=f) for line, f in zip(lines, frames, strict=True)
        )
        entries.append(
            RaceEntry(f"{number:016x}", "write/write race in cart.(*Cart).Add", Report("go", "data-race", accesses))
        )
        places.append(RacePlaces(tuple(CodePlace(PATH, line, 0, "version") for line in lines), ()))
    server.index.replace_entries(entries)
    server.index.add_places(entries, PlacedRaces(tuple(places), {"version": text.encode()}))
    return server


if __name__ == "__main__":
    main()
