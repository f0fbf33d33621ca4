"""Facts about the code at the pin, and the interface of the reader that provides them."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003, mypyc needs it at run time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from deadheat.model import Frame


class VariableUse(NamedTuple):
    """A variable that a line uses: `path` from the base to the name; a call is written `f()`."""

    name: str
    path: tuple[str, ...]
    writes: bool
    line: int
    stored_type: str = ""  # the struct type that is stored as a whole
    is_element: bool = False  # not the variable itself but an element of it


class HeldLock(NamedTuple):
    """A lock that is held at a line, as far as the function itself shows."""

    name: str  # "Cache.mu": the receiver's name is replaced by its type
    is_read_lock: bool  # held for reading only
    line: int


class CallSite(NamedTuple):
    """A call in a function: `name` is the last part, `target` the part before it."""

    name: str
    target: str
    arguments: str
    line: int
    deferred: bool = False
    closure_depth: int = 0  # number of closures around it
    result: str = ""  # the variables its results are assigned to


class EnclosingClosure(NamedTuple):
    """A function literal around a line, and its usage: `go`, `defer`, `call NAME`, ``."""

    first_line: int
    last_line: int
    usage: str


class PathCondition(NamedTuple):
    """A condition under which a line runs."""

    text: str
    line: int
    last_line: int = 0  # the last line that runs under it, if known


class Declaration(NamedTuple):
    """How a name is declared: `loop`, `result`, `parameter`, `local`, `receiver`."""

    kind: str
    line: int
    type: str = ""
    closure_depth: int = 0  # number of closures around it; a closure's parameter counts as inside


class ThreadStart(NamedTuple):
    """A statement that starts a goroutine or thread."""

    line: int
    last_line: int
    text: str


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """What the function around a line shows."""

    path: str
    line: int
    text: str
    function: str
    first_line: int
    last_line: int
    receiver: str = ""  # the receiver's type
    has_value_receiver: bool = False  # the method works on a copy
    uses: tuple[VariableUse, ...] = ()  # on the line
    stores: tuple[VariableUse, ...] = ()  # in the whole function
    requires_lock: bool = False  # its comment says that the caller holds the lock
    new_object_fields: tuple[tuple[str, int], ...] = ()  # those of `&Key{…}`, a new object
    locks_held: tuple[HeldLock, ...] = ()
    locks_released_above: tuple[str, ...] = ()  # locks of callers that it released above the line
    locks_released: tuple[str, ...] = ()  # locks that the function releases without having taken them
    closures: tuple[EnclosingClosure, ...] = ()  # outermost first
    conditions: tuple[PathCondition, ...] = ()  # outermost first
    guard_clauses: tuple[PathCondition, ...] = ()  # earlier conditions that would have returned
    select_branch: str = ""  # of a select: "<-ctx.Done()"
    loops: tuple[tuple[int, int], ...] = ()  # the loops around the line
    calls: tuple[CallSite, ...] = ()
    thread_starts: tuple[ThreadStart, ...] = ()
    declarations: Mapping[str, Declaration] = field(default_factory=dict)
    send_lines: tuple[int, ...] = ()  # lines that send on a channel
    receive_lines: tuple[int, ...] = ()  # lines that receive from one
    returned_names: frozenset[str] = frozenset()  # the names in its return statements

    @property
    def definition(self) -> tuple[str, int]:
        """Where the function is defined; equal for two lines of one function."""
        return self.path, self.first_line


@dataclass(frozen=True, slots=True)
class SharedVariable:
    """The raced variable, as the code names it."""

    name: str
    kind: str  # field, captured, package, struct
    owner: str = ""
    type: str = ""
    file: str = ""
    line: int | None = None
    accessed_part: str = ""  # the part the other side uses, if one side stores all of it
    is_certain: bool = True

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


class CodeReader(Protocol):
    """Reads the code at the pin."""

    def function_at(self, frame: Frame) -> FunctionFacts | None: ...

    def find_function(self, name: str, near_frame: Frame, owner: str = "") -> FunctionFacts | None:
        """The function of that bare name near a frame, at its end; of that type if there are several."""

    def find_thread_start(self, name: str, near_frame: Frame) -> FunctionFacts | None:
        """The only line near a frame that starts a thread in the function of that name."""

    def find_field_uses(self, name: str, near_frame: Frame) -> tuple[FunctionFacts, ...]:
        """The lines of Go near a frame, outside of tests, that use a field of that name."""

    def find_copy(self, kind: str, near_frame: Frame) -> tuple[str, int] | None:
        """The path and line near a frame where a value of that type is copied, if any."""

    def find_lock_of_type(self, type_name: str, near_frame: Frame) -> str | None:
        """The name of the lock that a type near a frame contains; "" if it has none, None if the type is not found."""

    def shared_variable(self) -> SharedVariable | None: ...

    def shares_loop_variables(self) -> bool | None:
        """Do all iterations share one loop variable, as before Go 1.22? None if unknown."""
