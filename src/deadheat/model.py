"""The words of deadheat as frozen data; knows no text, no file and no detector."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple, Protocol


class Op(StrEnum):
    """What an access did to memory."""

    READ = "read"
    WRITE = "write"
    ATOMIC_READ = "atomic-read"
    ATOMIC_WRITE = "atomic-write"
    FREE = "free"
    UNKNOWN = "unknown"


class Origin(StrEnum):
    """Whose code a frame is in."""

    USER = "user"
    STDLIB = "stdlib"
    RUNTIME = "runtime"
    TEST = "test"
    GENERATED = "generated"


class State(StrEnum):
    """What had become of an actor when the report was printed."""

    RUNNING = "running"
    FINISHED = "finished"
    MAIN = "main"
    UNKNOWN = "unknown"


class Damage(StrEnum):
    """What happened to a report's text on its way; a fact about the text, never an error."""

    INTERLEAVED = "interleaved"  # foreign lines stand between the report's own
    GLUED = "glued"  # foreign text stands on one of the report's own lines
    NO_BANNER = "no-banner"
    NO_BARS = "no-bars"
    TRUNCATED = "truncated"  # an access, a stack or an actor's creation is missing
    DOUBLED_BLANK_LINES = "doubled-blank-lines"
    WRAPPED = "wrapped"  # lines were broken at a column
    ELIDED = "elided"  # a person wrote "..." in place of frames
    STRAY_BYTES = "stray-bytes"
    REVERSED = "reversed"  # the newest line came first
    NO_STACK = "no-stack"  # the detector itself failed to restore a stack


class Frame(NamedTuple):
    """One line of a stack. `path` is as printed, `file` relative to the module's root if known.

    A tuple, because there are twenty to a report: it is made four times as fast as a dataclass.
    """

    function: str
    package: str
    file: str
    line: int | None
    origin: Origin
    path: str = ""
    stale: bool = False
    inlined: bool = False  # it had no frame of its own: the compiler put it into the next one


class Access(NamedTuple):
    """One of the (usually two) memory accesses of a report."""

    op: Op
    actor: str
    stack: tuple[Frame, ...]
    address: str | None = None
    size: int | None = None
    locks: tuple[str, ...] = ()
    site: Frame | None = None
    test: str | None = None  # that ran this side, where it is another one than the report's
    # how far into its site's function the instruction lies, where that is the innermost frame: "0x45";
    # it differs from build to build, so it is neither told nor compared
    instruction: str | None = None
    # how far into its caller's code the call of that function lies; as little told or compared
    called_from: str | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Access) and self[:-2] == other[:-2]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:-2])


class Actor(NamedTuple):
    """Who accessed, and the stack that created it."""

    id: str
    state: State = State.UNKNOWN
    created_at: tuple[Frame, ...] = ()


class Span(NamedTuple):
    """Where in a document something stands, in raw bytes; the lane it was read from."""

    offset: int
    length: int
    lane: str | None = None

    @property
    def end(self) -> int:
        return self.offset + self.length


class Location(NamedTuple):
    """What a detector says about the memory that was raced for.

    `kind` is `global`, `heap`, `stack`, `tls`, `descriptor` or `unknown`; `stack` is where the block
    was allocated or the descriptor opened, by `actor`, whose stack or thread-local memory it may be.
    """

    kind: str
    name: str | None = None
    address: str | None = None
    size: int | None = None
    offset: int | None = None  # of the access, in bytes from the beginning
    actor: str | None = None
    file: str | None = None  # where it is declared
    line: int | None = None
    stack: tuple[Frame, ...] = ()


class Lock(NamedTuple):
    """A lock that a report names, and where it was created."""

    id: str
    address: str | None = None
    created_at: tuple[Frame, ...] = ()


class Edge(NamedTuple):
    """One step of a cycle of locks: who acquired `acquired` while holding `held`."""

    held: str
    acquired: str
    actor: str = ""
    stack: tuple[Frame, ...] = ()  # where `acquired` was acquired
    held_stack: tuple[Frame, ...] = ()  # where `held` was, if the detector says so


class Report(NamedTuple):
    """One block that a detector printed; pure data, never changed after."""

    detector: str
    kind: str
    accesses: tuple[Access, ...]
    actors: tuple[Actor, ...] = ()
    location: Location | None = None
    test: str | None = None
    damage: tuple[Damage, ...] = ()
    locks: tuple[Lock, ...] = ()
    cycle: tuple[Edge, ...] = ()
    # what else the detector told: ("value changed", "0x00 -> 0x01")
    facts: tuple[tuple[str, str], ...] = ()


class Cause(NamedTuple):
    """A root-cause class that a rule found, with its evidence."""

    cause: str
    confidence: float
    evidence: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """What triage concludes from one report alone."""

    title: str
    fingerprint: str
    race: str


class Claim(NamedTuple):
    """What the author of a document said, and where; deadheat never takes it as found."""

    kind: str
    value: str
    quote: str  # as it stands in the document
    span: Span
    role: str = ""
    details: tuple[tuple[str, str], ...] = ()


class Document(NamedTuple):
    """What is known of a bug report besides the reports in it."""

    uri: str
    shape: str
    title: str = ""
    id: str = ""
    written: str = ""  # when, as the document has it
    thread: str = ""  # the id of the document that it answers in the end
    claims: tuple[Claim, ...] = ()


class Told(Protocol):
    """What makes a report when it is asked for."""

    @property
    def dialect(self) -> Any: ...

    @property
    def raw(self) -> bytes: ...

    @property
    def notes(self) -> dict[str, Any]: ...

    def report(self) -> Report: ...


class Sighting(NamedTuple):
    """A report seen at one place, with what triage made of it; a tuple, as there may be millions."""

    told: Report | Told  # the report, or what makes it when it is asked for
    verdict: Verdict
    uri: str
    span: Span
    document: Document | None = None  # the bug report that it stands in, if it does

    @property
    def report(self) -> Report:
        return self.told if isinstance(self.told, Report) else self.told.report()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sighting):
            return NotImplemented
        ours = (self.verdict, self.uri, self.span, self.document, self.report)
        return ours == (other.verdict, other.uri, other.span, other.document, other.report)

    def __hash__(self) -> int:
        return hash((self.uri, self.span))
