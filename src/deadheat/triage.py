"""Reads the sightings in a document: reports with title, fingerprint and race."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Final

from deadheat import documents, registry
from deadheat.echo import Echo, Unread
from deadheat.identify import resolved
from deadheat.identity.evidence import mark
from deadheat.identity.fingerprint import fingerprint
from deadheat.identity.title import title
from deadheat.model import Report, Sighting, Verdict
from deadheat.reading import Reader
from deadheat.tested import Tail, blamed
from deadheat.text.encoding import HEAD, PLAIN, Layout, layout
from deadheat.text.window import Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deadheat.documents.read import Read
    from deadheat.text.window import Listen, Source

# creates a named tuple three times as fast as its class, without defaults
_new: Final = tuple.__new__


@cache
def reader(shy: bool = False) -> Reader:
    """A reader for all detectors; `opt_in` includes the opt-in detectors."""
    return Reader(registry.dialects() if shy else registry.eager_dialects())


def verdict(report: Report) -> Verdict:
    """The verdict on one report."""
    name = fingerprint(report)
    return Verdict(title(report), name, race=name)


def _concluded(told: Unread | Echo) -> Verdict:
    unread = told if isinstance(told, Unread) else told.first
    # the key contains the fingerprint, and grouping needs the key later
    unread.notes["mark"] = known = mark(unread.sketch)
    name = known.fingerprint
    concluded: Verdict = _new(Verdict, (title(unread.sketch), name, name))
    unread.notes["verdict"] = concluded
    return concluded


def triage(
    source: Source,
    uri: str,
    start: int = 0,
    end: int | None = None,
    laid: Layout = PLAIN,
    full: bool = False,
    shy: bool = False,
    listen: Listen | None = None,
) -> Iterator[Sighting]:
    """Yield every report that starts in `[start, end)` of a document, in the order of their ends.

    `full` parses every report at once. `opt_in` enables the opt-in detectors. `listen` is called
    with the positions of test results.
    """
    for told, span in reader(shy).read(source, start, end, laid.encoding, full, listen):
        if isinstance(told, Report):
            concluded = verdict(told)
        else:
            concluded = told.notes.get("verdict") or _concluded(told)
        yield _new(Sighting, (told, concluded, uri, laid.raw(span), None))


def front_to_back(
    read: Callable[[int], bytes],
    uri: str,
    laid: Layout,
    full: bool = False,
    shy: bool = False,
    live: bool = False,
) -> Iterator[Sighting]:
    """Yield every report of a document that is read sequentially, with its test.

    With `live`, no sighting is delayed until its test has ended.
    """
    if laid is not PLAIN:
        yield from triage(Stream(laid.narrowed(read)), uri, laid=laid, full=full, shy=shy)
        return
    tail = Tail(read)
    yield from blamed(triage(Stream(tail.read), uri, full=full, shy=shy), tail, live)


def scan_text(text: str | bytes, uri: str = "text", shy: bool = False) -> list[Sighting]:
    """Return every report in a text. The sightings of a bug report refer to its document.

    `opt_in` enables the detectors that are otherwise used only for bug reports about races.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if documents.may_be(data[:HEAD], uri) and (reads := documents_in(data, uri, shy)):
        return resolved([sighting for read in reads for sighting in read.sightings])
    laid = layout(data[:HEAD])
    return resolved(list(front_to_back(BytesIO(data).read, uri, laid, shy=shy)))


def documents_in(text: str | bytes, uri: str = "text", shy: bool = False) -> list[Read]:
    """Return the bug reports in a text with their claims and sightings. A log has none."""
    from deadheat.documents.read import read  # imports a dozen modules that a log does not need

    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return read(data, uri, shy) or []
