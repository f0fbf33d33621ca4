"""Facts about the code at the pin, and the interface of the reader that provides them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Frame


class Use(NamedTuple):
    """A variable that a line uses: `path` from the base to the name; a call is written `f()`."""

    name: str
    path: tuple[str, ...]
    writes: bool
    line: int
    whole: str = ""  # the struct type that is stored as a whole
    element: bool = False  # not the variable itself but an element of it


class Held(NamedTuple):
    """A lock that is held at a line, as far as the function itself shows."""

    name: str  # "Cache.mu": the receiver's name is replaced by its type
    shared: bool  # held for reading only
    line: int


class Call(NamedTuple):
    """A call in a function: `name` is the last part, `target` the part before it."""

    name: str
    on: str
    arguments: str
    line: int
    deferred: bool = False
    depth: int = 0  # number of closures around it
    result: str = ""  # the variables its results are assigned to


class Closure(NamedTuple):
    """A function literal around a line, and its usage: `go`, `defer`, `call NAME`, ``."""

    first: int
    last: int
    use: str


class Condition(NamedTuple):
    """A condition under which a line runs."""

    text: str
    line: int
    last: int = 0  # the last line that runs under it, if known


class Declared(NamedTuple):
    """How a name is declared: `loop`, `result`, `parameter`, `local`, `receiver`."""

    how: str
    line: int
    type: str = ""
    depth: int = 0  # number of closures around it; a closure's parameter counts as inside


class Start(NamedTuple):
    """A statement that starts a goroutine or thread."""

    line: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class Around:
    """What the function around a line shows."""

    path: str
    line: int
    text: str
    function: str
    first: int
    last: int
    receiver: str = ""  # the receiver's type
    made_of: str = ""  # of the receiver's type: "map[K]V", "[]Alarm"
    by_value: bool = False  # the method works on a copy
    uses: tuple[Use, ...] = ()  # on the line
    stores: tuple[Use, ...] = ()  # in the whole function
    fills: tuple[tuple[str, int], ...] = ()  # fields that its literals set, and the lines
    wants_lock: bool = False  # its comment says that the caller holds the lock
    makes: tuple[tuple[str, int], ...] = ()  # those of `&Key{…}`, a new object
    held: tuple[Held, ...] = ()
    gone: tuple[str, ...] = ()  # locks of callers that it released above the line
    frees: tuple[str, ...] = ()  # locks that the function releases without having taken them
    closures: tuple[Closure, ...] = ()  # outermost first
    conditions: tuple[Condition, ...] = ()  # outermost first
    guards: tuple[Condition, ...] = ()  # earlier conditions that would have returned
    leaves: bool = False  # the block around it ends with a return
    branch: str = ""  # of a select: "<-ctx.Done()"
    after: tuple[str, ...] = ()  # select branches above that lead to the line
    loops: tuple[tuple[int, int], ...] = ()  # the loops around the line
    calls: tuple[Call, ...] = ()
    starts: tuple[Start, ...] = ()
    names: Mapping[str, Declared] = field(default_factory=dict)
    sends: tuple[int, ...] = ()  # lines that send on a channel
    receives: tuple[int, ...] = ()  # lines that receive from one
    awaits: frozenset[str] = frozenset()  # the last names of the channels it receives from
    results: str = ""  # the result types as written
    returned: frozenset[str] = frozenset()  # the names in its return statements
    mentions: frozenset[str] = frozenset()  # every name in it; only set for a called function


@dataclass(frozen=True, slots=True)
class Shared:
    """The raced variable, as the code names it."""

    name: str
    kind: str  # field, captured, package, struct
    owner: str = ""
    type: str = ""
    file: str = ""
    line: int | None = None
    part: str = ""  # the part the other side uses, if one side stores all of it
    sure: bool = True

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


class Source(Protocol):
    """Reads the code at the pin."""

    def around(self, frame: Frame) -> Around | None: ...

    def defined(self, name: str, beside: Frame, owner: str = "") -> Around | None:
        """The function of that bare name near a frame, at its end; of that type if there are several."""

    def starter(self, name: str, beside: Frame) -> Around | None:
        """The only line near a frame that starts a thread in the function of that name."""

    def callers(self, name: str, beside: Frame) -> tuple[Around, ...]:
        """The lines of Go near a frame, outside of tests, that call a function of that name."""

    def touched(self, name: str, beside: Frame) -> tuple[Around, ...]:
        """The lines of Go near a frame, outside of tests, that use a field of that name."""

    def stored(self, name: str, field: bool, beside: Frame) -> frozenset[tuple[str, int]]:
        """The lines of Go near a frame, outside of tests, that store to a variable of that name."""

    def copied(self, kind: str, beside: Frame) -> tuple[str, int] | None:
        """The path and line near a frame where a value of that type is copied, if any."""

    def only_cleared(self, name: str, beside: Frame, maker: Around | None) -> bool:
        """Is the field near a frame only ever set to `nil`, except by tests and by its maker?"""

    def fills(self, name: str, beside: Frame) -> bool:
        """Does a literal near a frame, outside of tests, set a field of that name?"""

    def shared(self) -> Shared | None: ...

    def loops_share(self) -> bool | None:
        """Do all iterations share one loop variable, as before Go 1.22? None if unknown."""
