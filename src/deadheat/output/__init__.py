"""The interface of output formats, and escaping of untrusted text for HTML and Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Protocol

from deadheat.printable import quote_code, visible_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deadheat.model import Document, Sighting
    from deadheat.output.links import CodeLinks


def _ignore_warning(text: str) -> None:
    """Warns nobody."""


@dataclass(frozen=True, slots=True)
class JobContext:
    """What the formats for code hosts say about the job that writes them, as far as known."""

    key: str = ""  # distinguishes jobs that report to one pull request
    baseline: str = ""  # the file of known races
    repository: str = ""  # address of the repository, as in a browser
    commit: str = ""
    branch: str = ""
    name: str = ""  # of the job, unless the code host names uploads itself
    run: str = ""
    warn: Callable[[str], None] = _ignore_warning  # says what was left out


SORT_ORDERS = ("seen", "title", "file", "cause")
GROUPS = ("race", "package", "test", "cause", "file")


@dataclass(frozen=True, slots=True)
class RaceSelection:
    """Which races are shown, and in which order."""

    sort: str = "seen"
    group_by: str = "race"
    limit: int | None = None  # None: all, or what fits on a terminal; 0: all
    is_option: bool = False  # whether the command has options for these


@dataclass(frozen=True, slots=True)
class OutputStyle:
    """Options that change how the output looks."""

    colour: bool = False
    width: int = 100
    frames: int = 6
    brief: bool = False  # one line per race
    full: bool = False  # both stacks of every race, however many there are
    why: bool = False  # show what identifies each race
    cause: bool = False  # show what speaks for the cause
    root: str = ""  # checkout folder; paths in it are shown relative to it
    links: CodeLinks | None = None  # to the code of the checkout, for formats that show links
    clone_links: Mapping[str, CodeLinks | None] = field(default_factory=dict)  # by the path of a clone
    job: JobContext = JobContext()
    is_terminal: bool = False
    is_wrapped: bool = True  # whether long lines of a scan are wrapped; a pipe gets them whole
    selection: RaceSelection = field(default_factory=RaceSelection)
    line_of: Callable[[str, int], int | None] | None = None  # the line of an offset in a document

    def links_for_clone(self, path: str | None) -> CodeLinks | None:
        """The links for what a dossier tells from a clone: `dossier["repo"]`."""
        return self.clone_links.get(path or "", self.links)


class SightingCollector(Protocol):
    """Collects sightings, possibly in a worker process."""

    def add_sighting(self, sighting: Sighting) -> None: ...

    def add_document(self, document: Document) -> None:
        """Adds a bug report. Its sightings carry its claims as well."""

    def pack_batch(self) -> Any:
        """Returns what was collected since the last call, ready to be pickled."""


class OutputWriter(Protocol):
    """Writes collected batches in order."""

    def merge_batch(self, packed: Any) -> None: ...

    def write_live(self, packed: Any) -> None:
        """Like `merge_batch`, for input from a pipe; may write at once."""

    def write_remaining(self, ids: Mapping[str, str]) -> None:
        """Writes the rest; `ids` maps each variant to its race id."""


class OutputFormat(Protocol):
    """One output format."""

    name: str
    prints_at_end: bool  # whether it prints nothing before the end, even for a pipe

    def new_collector(self, style: OutputStyle) -> SightingCollector: ...

    def new_writer(self, out: IO[str], style: OutputStyle) -> OutputWriter: ...


_HTML_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
# Markdown markup anywhere in a line: "a_b", "[x]", "1 < 2", "a|b", "&lt;"; and markup that makes the
# line a heading or a list item: "# a", "- a", "1. a"
_MARKDOWN_MARKUP = re.compile(r"[\\`*_\[\]<>|~$&]|(?<=\])\(|^\s*(?:[#+=-]|\d+(?=[.)]))")
# the inline part of it: "a_b", "[x]", "a|b"
_INLINE_MARKUP = re.compile(r"[\\`*_\[\]|~$]")
# mentions and links of code hosts: "@octocat", "https://host", "www.host"
_MENTION_OR_LINK = re.compile(r"@(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_BACKTICKS = re.compile(r"`+")


def escape_html(text: str, keep: str = "\n\t") -> str:
    """Escapes text for an HTML or XML element or a quoted attribute."""
    return visible_text(text, keep).translate(_HTML_ENTITIES)


def escape_markdown(text: str) -> str:
    """Escapes one line of prose or a table cell."""
    return _break_mentions(_MARKDOWN_MARKUP.sub(_backslash_escape, visible_text(text)))


def _backslash_escape(match: re.Match[str]) -> str:
    markup = match[0]
    # in "1." the dot is the markup
    return f"{markup}\\" if markup[-1].isdigit() else f"{markup[:-1]}\\{markup[-1]}"


def escape_markdown_element(text: str) -> str:
    """Escapes text for an HTML element in Markdown, where a backslash does not escape."""
    return _break_mentions(_INLINE_MARKUP.sub(lambda match: f"&#{ord(match[0])};", escape_html(visible_text(text))))


def _break_mentions(text: str) -> str:
    return _MENTION_OR_LINK.sub(lambda match: f"{match[0]}<!-- -->", text)


def code_table_cell(text: str) -> str:
    """Returns a code span for a table cell, with escaped bars."""
    return code_span(text).replace("|", "\\|")


def code_span(text: str) -> str:
    """Returns a Markdown code span."""
    return quote_code(visible_text(text) or " ")


def code_block(text: str, language: str = "text") -> str:
    """Returns a fenced code block that the text cannot close."""
    content = visible_text(text, "\n\t").rstrip("\n")
    ticks = "`" * max(3, 1 + max((len(backticks) for backticks in _BACKTICKS.findall(content)), default=0))
    return f"{ticks}{language}\n{content}\n{ticks}"
