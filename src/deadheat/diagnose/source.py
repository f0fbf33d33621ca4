"""What rules may ask of the code at the pin: facts that a reader, which is injected, finds in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deadheat.model import Frame


class Use(NamedTuple):
    """Something that a line touches: `path` from the base to the name; a call is written `f()`."""

    name: str
    path: tuple[str, ...]
    writes: bool
    line: int
    whole: str = ""  # the type that is stored in one go
    element: bool = False  # not the variable itself but what it holds


class Held(NamedTuple):
    """A lock that is held at a line, as far as the function itself shows."""

    name: str  # "Cache.mu": the receiver's name is replaced by its type
    shared: bool  # for reading only
    line: int


class Call(NamedTuple):
    """A call in a function: `name` is the last part, `on` what stands before it."""

    name: str
    on: str
    arguments: str
    line: int
    deferred: bool = False
    depth: int = 0  # in how many closures it lies
    result: str = ""  # the variables that its results are assigned to


class Closure(NamedTuple):
    """A function literal around a line, and what is done with it: `go`, `defer`, `call NAME`, ``."""

    first: int
    last: int
    use: str


class Condition(NamedTuple):
    """A condition under which a line runs."""

    text: str
    line: int
    last: int = 0  # the last line that runs under it, where that is told


class Declared(NamedTuple):
    """Where a name of a function comes from: `loop`, `result`, `parameter`, `local`, `receiver`."""

    how: str
    line: int
    type: str = ""
    depth: int = 0  # in how many closures it is declared; a closure's parameter is its own


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
    receiver: str = ""  # the type of which it is a method
    made_of: str = ""  # "map[K]V" where that type is declared as one; "[]Alarm"
    by_value: bool = False  # the method works on a copy of it
    uses: tuple[Use, ...] = ()  # of the line
    stores: tuple[Use, ...] = ()  # of the whole function
    fills: tuple[tuple[str, int], ...] = ()  # what its literals set by name, and the lines
    wants_lock: bool = False  # its comment says that who calls it holds the lock
    makes: tuple[tuple[str, int], ...] = ()  # those of `&Key{…}`, a new object
    held: tuple[Held, ...] = ()
    gone: tuple[str, ...] = ()  # locks that others took, and that it has let go above the line
    frees: tuple[str, ...] = ()  # locks that the function lets go without having taken them
    closures: tuple[Closure, ...] = ()  # outermost first
    conditions: tuple[Condition, ...] = ()  # outermost first
    guards: tuple[Condition, ...] = ()  # conditions before it that would have left the function
    leaves: bool = False  # the block around it ends by leaving the function
    branch: str = ""  # of a select: "<-ctx.Done()"
    after: tuple[str, ...] = ()  # branches of selects above that lead to the line
    loops: tuple[tuple[int, int], ...] = ()  # the loops around the line
    calls: tuple[Call, ...] = ()
    starts: tuple[Start, ...] = ()
    names: Mapping[str, Declared] = field(default_factory=dict)
    sends: tuple[int, ...] = ()  # lines that send on a channel
    receives: tuple[int, ...] = ()  # lines that receive from one
    awaits: frozenset[str] = frozenset()  # the last names of what it receives from
    results: str = ""  # the types that the function gives back, as written
    returned: frozenset[str] = frozenset()  # the names in its return statements
    mentions: frozenset[str] = frozenset()  # every name in it; told of a function that is called


@dataclass(frozen=True, slots=True)
class Shared:
    """The variable that is raced for, as the code names it."""

    name: str
    kind: str  # field, captured, package, struct
    owner: str = ""
    type: str = ""
    file: str = ""
    line: int | None = None
    part: str = ""  # what of it the other side works on, where one side stores all of it
    sure: bool = True

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


class Source(Protocol):
    """The code at the pin."""

    def around(self, frame: Frame) -> Around | None: ...

    def defined(self, name: str, beside: Frame, owner: str = "") -> Around | None:
        """The function of that bare name near a frame, at its end; of that type if several are."""

    def starter(self, name: str, beside: Frame) -> Around | None:
        """The line near a frame that starts a thread in the function of that name, if only one does."""

    def callers(self, name: str, beside: Frame) -> tuple[Around, ...]:
        """The functions of Go near a frame, outside of tests, that call one of that name: the lines."""

    def touched(self, name: str, beside: Frame) -> tuple[Around, ...]:
        """The lines of Go near a frame, outside of tests, that touch a field of that name."""

    def stored(self, name: str, field: bool, beside: Frame) -> frozenset[tuple[str, int]]:
        """The lines of Go near a frame, outside of tests, that store to a variable of that name."""

    def copied(self, kind: str, beside: Frame) -> tuple[str, int] | None:
        """The path and line near a frame where a value of that type is copied, if there is one."""

    def only_cleared(self, name: str, beside: Frame, maker: Around | None) -> bool:
        """Is `nil` all that is assigned to a field near a frame, but by tests and by its maker?"""

    def fills(self, name: str, beside: Frame) -> bool:
        """Does a literal near a frame, outside of tests, set a field of that name?"""

    def shared(self) -> Shared | None: ...

    def loops_share(self) -> bool | None:
        """Is a loop's variable one for all its turns, as before Go 1.22? None if not known."""
