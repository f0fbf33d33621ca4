"""Collects the parsed parts of a Go race report and builds the report."""

from __future__ import annotations

from deadheat.dialects import go_stack
from deadheat.dialects.go_stack import Side
from deadheat.model import Damage, Frame, Op, Report
from deadheat.symbols import go


class GoDraft:
    """Accesses, creations, the current stack, and the damage of a report."""

    def __init__(self) -> None:
        self.accesses: list[Side] = []
        self.creations: list[Side] = []
        self.stack: list[Frame] = []
        self.symbol = ""  # a function without its location yet
        self.gap = False  # a blank line follows that function
        self.banner = self.closed = False
        self.retold = False  # function and location are on one line
        self.bare = False  # the last location has no offset: its line number may be cut
        self.damage: set[Damage] = set()

    # -- stacks and frames ----------------------------------------------------------------------

    def add_access(self, side: Side, previous: bool) -> None:
        if previous and not self.accesses:
            self._behead()
        self.accesses.append(side)
        self._begin(side)

    def _behead(self) -> None:
        """The first access has no header: the frames so far are the end of its stack."""
        side = Side("", Op.UNKNOWN)
        side.frames = self.stack
        self.damage.add(Damage.TRUNCATED)
        if side.frames:
            self.accesses.append(side)

    def add_creation(self, side: Side) -> None:
        self.creations.append(side)
        self._begin(side)

    def _begin(self, side: Side) -> None:
        self.end_frame()
        self.stack = side.frames

    def add_place(self, path: str, line: int, offset: str | None) -> None:
        """Add the location of the pending function."""
        self.bare = offset is None
        if self.gap:
            self.damage.add(Damage.DOUBLED_BLANK_LINES)
        if offset and len(self.stack) < 2 and self.accesses and not self.creations:
            self._at(offset[1:])
        self.stack.append(go.frame(self.symbol, path, line))
        self.symbol, self.gap = "", False

    def _at(self, offset: str) -> None:
        """Keep the code offset of the innermost or the next frame of an access."""
        if self.stack:
            self.accesses[-1].called_from = offset
        else:
            self.accesses[-1].offset = offset

    def end_frame(self) -> None:
        """Add the pending function as a frame without a location."""
        if "." in self.symbol:
            self.stack.append(go.frame(self.symbol, "", None))
        self.symbol, self.gap = "", False

    def add_rest(self, digits: str) -> bool:
        """Add a wrapped offset, perhaps with the last digits of the line number: `12 +0x384`."""
        if not self.bare or not self.stack:
            return False
        if digits:
            frame = self.stack[-1]
            self.stack[-1] = frame._replace(line=int(f"{frame.line}{digits}"))
        self.bare = False
        self.damage.add(Damage.WRAPPED)
        return True

    def add_place_only(self, path: str, line: int) -> bool:
        """Add a location without a function, if the stack has no functions."""
        if self.symbol or not self.accesses or any(frame.function for frame in self.stack):
            return False
        self.stack.append(go.frame("", path, line))
        return True

    def add_retold(self, symbol: str, path: str, line: int) -> bool:
        """Add a function with its location, if the stack has only such frames."""
        if self.symbol or not self.accesses or (self.stack and not self.retold):
            return False
        self.symbol, self.retold = symbol, True
        self.add_place(path, line, None)
        return True

    def fail(self) -> None:
        """The detector could not restore the stack of the last access or creation."""
        (self.creations or self.accesses)[-1].failed = True
        self.damage.add(Damage.NO_STACK)

    # -- state ----------------------------------------------------------------------------------

    @property
    def is_topless(self) -> bool:
        return len(self.stack) == 1 and not self.stack[0].function

    def has_stack(self) -> bool:
        return any(side.frames or side.failed for side in self.accesses)

    def is_whole(self) -> bool:
        if len(self.accesses) < 2:
            return False
        created = {side.actor for side in self.creations if side.frames}
        return all(s.actor in created or s.actor == "main goroutine" for s in self.accesses)

    # -- the report -----------------------------------------------------------------------------

    def report(self, cut: bool) -> Report | None:
        self.end_frame()
        if cut:
            self._distrust_last_line()
        for side in [*self.accesses, *self.creations]:
            # a location before the first function is not a frame
            side.frames = [f for f in _placed(side.frames) if f.function] or side.frames
        if not self._is_credible([side for side in self.accesses if side.actor]):
            return None
        return go_stack.report("go", "data-race", self.accesses, self.creations, self._all_damage())

    def _distrust_last_line(self) -> None:
        """Drop the last line number: `:12` may have been `:123`."""
        if self.bare and self.stack:
            self.stack[-1] = self.stack[-1]._replace(line=None)

    def _is_credible(self, told: list[Side]) -> bool:
        if [side.op for side in self.accesses] == [Op.READ, Op.READ]:
            return False  # two reads do not race: the lines are from two reports
        if self.banner and any(side.failed for side in told):
            return True
        placed = any(frame.line is not None for side in told for frame in side.frames)
        return (placed or self._is_sketch(told)) and not self._is_gossip(told)

    def _is_sketch(self, told: list[Side]) -> bool:
        """Does an otherwise undamaged report have functions without locations for both accesses?"""
        whole = self.banner and len(told) == 2 and all(side.frames for side in told)
        return whole and not self.damage & {Damage.GLUED, Damage.INTERLEAVED, Damage.WRAPPED}

    def _is_gossip(self, told: list[Side]) -> bool:
        """Is this prose about one access, followed by an unrelated stack?"""
        if len(told) != 1 or Damage.GLUED not in self.damage:
            return False
        functions = any(frame.function for frame in told[0].frames)
        return Damage.INTERLEAVED in self.damage or not (self.banner or functions)

    def _all_damage(self) -> set[Damage]:
        damage = set(self.damage)
        if not self.banner:
            damage.add(Damage.NO_BANNER)
        if not self.closed:
            damage.add(Damage.NO_BARS)
        if not self.is_whole():
            damage.add(Damage.TRUNCATED)
        return damage


def _placed(frames: list[Frame]) -> list[Frame]:
    """Drop all locations of a stack that may be reversed.

    A reversed stack starts with a location and ends with a function. Its locations are ambiguous.
    """
    if len(frames) < 2 or frames[0].function or frames[-1].line is not None:
        return frames
    return [frame._replace(file="", path="", line=None) for frame in frames]
