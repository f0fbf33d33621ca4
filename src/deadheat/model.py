"""The data model as immutable types. It does not depend on text, files or detectors."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003, mypyc needs it at run time
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from deadheat.grouping.keys import GroupingKey


class Op(StrEnum):
    """The operation of a memory access."""

    READ = "read"
    WRITE = "write"
    ATOMIC_READ = "atomic-read"
    ATOMIC_WRITE = "atomic-write"
    FREE = "free"
    UNKNOWN = "unknown"


class Origin(StrEnum):
    """The kind of code that a frame belongs to."""

    USER = "user"
    STDLIB = "stdlib"
    RUNTIME = "runtime"
    TEST = "test"
    GENERATED = "generated"


class ActorState(StrEnum):
    """The state of an actor when the report was printed."""

    RUNNING = "running"
    FINISHED = "finished"
    MAIN = "main"
    UNKNOWN = "unknown"


class Damage(StrEnum):
    """Damage to the text of a report. It describes the text and is not an error."""

    INTERLEAVED = "interleaved"  # foreign lines between the lines of the report
    GLUED = "glued"  # foreign text on a line of the report
    NO_BANNER = "no-banner"
    NO_BARS = "no-bars"
    TRUNCATED = "truncated"  # an access, a stack or an actor's creation is missing
    DOUBLED_BLANK_LINES = "doubled-blank-lines"
    WRAPPED = "wrapped"  # lines were broken at a column
    ELIDED = "elided"  # somebody replaced frames with "..."
    STRAY_BYTES = "stray-bytes"
    REVERSED = "reversed"  # newest line first
    NO_STACK = "no-stack"  # the detector could not restore a stack


class Frame(NamedTuple):
    """One line of a stack. `path` is as printed, `file` is relative to the module root if known.

    A named tuple, because it is created four times as fast as a dataclass and a report has about
    20.
    """

    function: str
    package: str
    file: str
    line: int | None
    origin: Origin
    path: str = ""
    stale: bool = False
    inlined: bool = False  # the compiler inlined it into the next frame


class Access(NamedTuple):
    """One of the (usually two) memory accesses of a report."""

    op: Op
    actor: str
    stack: tuple[Frame, ...]
    address: str | None = None
    size: int | None = None
    locks: tuple[str, ...] = ()
    site: Frame | None = None
    test: str | None = None  # the test that ran this access, if it differs from the report's test
    # offset of the instruction in the function of the site, if that is the innermost frame: "0x45".
    # It differs between builds, so it is neither serialized nor compared.
    instruction: str | None = None
    # offset of the call in the calling function; neither serialized nor compared
    called_from: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Access) and self[:-2] == other[:-2]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:-2])


class Actor(NamedTuple):
    """The thread, goroutine or task of an access, and the stack that created it."""

    id: str
    state: ActorState = ActorState.UNKNOWN
    created_at: tuple[Frame, ...] = ()


class Span(NamedTuple):
    """A position in a document in raw bytes, and the stream it was read from."""

    offset: int
    length: int
    stream: str | None = None

    @property
    def end(self) -> int:
        return self.offset + self.length


class Location(NamedTuple):
    """What a detector reports about the memory location.

    `kind` is `global`, `heap`, `stack`, `tls`, `descriptor` or `unknown`. `stack` is where the
    block was allocated or the descriptor opened. `actor` did that, or owns the stack or
    thread-local memory.
    """

    kind: str
    name: str | None = None
    address: str | None = None
    size: int | None = None
    offset: int | None = None  # of the access, in bytes from the start
    actor: str | None = None
    file: str | None = None  # of the declaration
    line: int | None = None
    stack: tuple[Frame, ...] = ()


class Lock(NamedTuple):
    """A lock in a report, and where it was created."""

    id: str
    address: str | None = None
    created_at: tuple[Frame, ...] = ()


class LockEdge(NamedTuple):
    """One edge of a lock cycle: an actor acquired `acquired` while it held `held`."""

    held: str
    acquired: str
    actor: str = ""
    stack: tuple[Frame, ...] = ()  # where `acquired` was acquired
    held_stack: tuple[Frame, ...] = ()  # where `held` was acquired, if the detector reports it


class Report(NamedTuple):
    """One report that a detector printed."""

    detector: str
    kind: str
    accesses: tuple[Access, ...]
    actors: tuple[Actor, ...] = ()
    location: Location | None = None
    test: str | None = None
    damage: tuple[Damage, ...] = ()
    locks: tuple[Lock, ...] = ()
    cycle: tuple[LockEdge, ...] = ()
    # other facts in the report: ("value changed", "0x00 -> 0x01")
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def address(self) -> str | None:
        """The address of the race as printed, if it is known."""
        for access in self.accesses:
            if access.address:
                return access.address
        return None


class Cause(NamedTuple):
    """A root cause class that a rule found, with its evidence."""

    cause: str
    confidence: float
    evidence: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """What is computed from one report alone."""

    title: str
    fingerprint: str
    race: str


class Claim(NamedTuple):
    """A statement by the author of a document, and its position. deadheat does not verify it."""

    kind: str
    value: str
    quote: str  # as written in the document
    span: Span
    role: str = ""
    details: tuple[tuple[str, str], ...] = ()


class Document(NamedTuple):
    """Metadata of a bug report."""

    uri: str
    shape: str
    title: str = ""
    id: str = ""
    written: str = ""  # date as written in the document
    thread: str = ""  # the id of the document that starts the thread
    claims: tuple[Claim, ...] = ()


class DerivedValues:
    """What the stages compute from a report, shared with its duplicates. Each stage sets its own values."""

    __slots__ = ("causes", "grouping_key", "instructions", "prepared", "tests", "verdict", "verdict_by_race")

    def __init__(self) -> None:
        self.verdict: Verdict | None = None
        self.verdict_by_race: dict[str, Verdict] = {}
        self.grouping_key: GroupingKey | None = None
        self.instructions: tuple[str, ...] | None = None
        self.tests: tuple[str | None, ...] | None = None
        self.causes: tuple[Cause, ...] | None = None  # with the names of the original
        self.prepared: object = None  # what an output prepares once for all duplicates


class ReportSource:
    """A report that was read, and the values derived from it. Subclasses parse duplicates on demand."""

    __slots__ = ("derived", "original")

    def __init__(self, report: Report) -> None:
        self.original = report  # the report, or the one that it repeats with other numbers
        self.derived = DerivedValues()

    @property
    def volatile_values(self) -> tuple[bytes, ...]:
        """The numbers of a duplicate in the order of its text; empty for other reports."""
        return ()

    @property
    def is_printable(self) -> bool:
        """Whether the report is known to contain only printable text."""
        return False

    def report(self) -> Report:
        return self.original

    def with_placeholders(self) -> ReportSource:
        """The same report with numbers that no other text contains; itself if it is no duplicate."""
        return self

    def rename(self, name: str) -> str:
        """An actor or address of the original, as it is in this report."""
        return name

    def rename_in_text(self, text: str) -> str:
        """A sentence about the original, with the names of this report."""
        return text


class Sighting(NamedTuple):
    """A report at one position of a document. A named tuple, because there may be millions."""

    source: ReportSource
    verdict: Verdict
    uri: str
    span: Span
    document: Document | None = None  # the bug report that contains it, if any
    causes: tuple[Cause, ...] = ()  # if the sighting has been diagnosed; not compared

    @property
    def report(self) -> Report:
        return self.source.report()

    def with_report(self, report: Report) -> Sighting:
        """The sighting with another report."""
        return self._replace(source=ReportSource(report))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sighting):
            return NotImplemented
        ours = (self.verdict, self.uri, self.span, self.document, self.report)
        return ours == (other.verdict, other.uri, other.span, other.document, other.report)

    def __hash__(self) -> int:
        return hash((self.uri, self.span))


def new_sighting(
    source: ReportSource, verdict: Verdict, uri: str, span: Span, document: Document | None = None
) -> Sighting:
    """Make a sighting that is not diagnosed; three times as fast as the constructor."""
    sighting: Sighting = tuple.__new__(Sighting, (source, verdict, uri, span, document, ()))
    return sighting


class CiRun(NamedTuple):
    """Where and when a document was written, as far as known."""

    repo: str | None = None
    commit: str | None = None
    branch: str | None = None
    job: str | None = None
    run: str | None = None
    time: datetime | None = None

    def merged_with(self, other: CiRun) -> CiRun:
        """Returns this with missing fields filled from the other."""
        return self._replace(
            **{field: value for field, value in other._asdict().items() if getattr(self, field) is None}
        )
