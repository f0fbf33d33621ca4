"""A Go race report as far as it has been read, and what it makes in the end; knows no line of text."""

from __future__ import annotations

from deadheat.dialects import go_stack
from deadheat.dialects.go_stack import Side
from deadheat.model import Damage, Frame, Op, Report
from deadheat.symbols import go


class GoDraft:
    """The sides of a report, the stack that is being read, and what has happened to the text."""

    def __init__(self) -> None:
        self.accesses: list[Side] = []
        self.creations: list[Side] = []
        self.stack: list[Frame] = []
        self.symbol = ""  # a function whose place is still to come
        self.gap = False  # a blank line stands between that function and what follows
        self.banner = self.closed = False
        self.retold = False  # somebody wrote function and place in one line
        self.bare = False  # the last place has no offset: its line number may go on
        self.damage: set[Damage] = set()

    # -- sides and frames -----------------------------------------------------------------------

    def add_access(self, side: Side, previous: bool) -> None:
        if previous and not self.accesses:
            self._behead()
        self.accesses.append(side)
        self._begin(side)

    def _behead(self) -> None:
        """The second access comes first: what stands before it is the end of the first one."""
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
        """The place of the function that was read last."""
        self.bare = offset is None
        if self.gap:
            self.damage.add(Damage.DOUBLED_BLANK_LINES)
        if offset and len(self.stack) < 2 and self.accesses and not self.creations:
            self._at(offset[1:])
        self.stack.append(go.frame(self.symbol, path, line))
        self.symbol, self.gap = "", False

    def _at(self, offset: str) -> None:
        """Keeps how far into their functions the innermost frames of an access are."""
        if self.stack:
            self.accesses[-1].called_from = offset
        else:
            self.accesses[-1].offset = offset

    def end_frame(self) -> None:
        """A function without a location is still a frame, if it can be nothing else."""
        if "." in self.symbol:
            self.stack.append(go.frame(self.symbol, "", None))
        self.symbol, self.gap = "", False

    def add_rest(self, digits: str) -> bool:
        """The offset of the last place, on a line of its own, perhaps with digits of the line number."""
        if not self.bare or not self.stack:
            return False
        if digits:
            frame = self.stack[-1]
            self.stack[-1] = frame._replace(line=int(f"{frame.line}{digits}"))
        self.bare = False
        self.damage.add(Damage.WRAPPED)
        return True

    def add_place_only(self, path: str, line: int) -> bool:
        """Takes a place for a frame, in a stack that has nothing else."""
        if self.symbol or not self.accesses or any(frame.function for frame in self.stack):
            return False
        self.stack.append(go.frame("", path, line))
        return True

    def add_retold(self, symbol: str, path: str, line: int) -> bool:
        """Takes a function with its place, in a stack that has no other frames."""
        if self.symbol or not self.accesses or (self.stack and not self.retold):
            return False
        self.symbol, self.retold = symbol, True
        self.add_place(path, line, None)
        return True

    def fail(self) -> None:
        """The detector could not restore the stack of the last side."""
        (self.creations or self.accesses)[-1].failed = True
        self.damage.add(Damage.NO_STACK)

    # -- what there is --------------------------------------------------------------------------

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
            # a place before a function was not one of our frames
            side.frames = [f for f in _placed(side.frames) if f.function] or side.frames
        if not self._is_credible([side for side in self.accesses if side.actor]):
            return None
        return go_stack.report("go", "data-race", self.accesses, self.creations, self._all_damage())

    def _distrust_last_line(self) -> None:
        """Where the text ends within a number, `:12` may have been `:123`."""
        if self.bare and self.stack:
            self.stack[-1] = self.stack[-1]._replace(line=None)

    def _is_credible(self, told: list[Side]) -> bool:
        if [side.op for side in self.accesses] == [Op.READ, Op.READ]:
            return False  # two reads do not race: lines of two reports were taken for one
        if self.banner and any(side.failed for side in told):
            return True
        placed = any(frame.line is not None for side in told for frame in side.frames)
        return (placed or self._is_sketch(told)) and not self._is_gossip(told)

    def _is_sketch(self, told: list[Side]) -> bool:
        """Functions without places for both sides, under the banner: somebody has kept only these."""
        whole = self.banner and len(told) == 2 and all(side.frames for side in told)
        return whole and not self.damage & {Damage.GLUED, Damage.INTERLEAVED, Damage.WRAPPED}

    def _is_gossip(self, told: list[Side]) -> bool:
        """Sentences with the words of one side, and further down somebody else's stack.

        It does not follow at once, or it has places that nobody was called at.
        """
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
    """A stack that begins with a place and ends with a function may stand the other way round.

    Then each place could be that of either neighbour, and none is believed.
    """
    if len(frames) < 2 or frames[0].function or frames[-1].line is not None:
        return frames
    return [frame._replace(file="", path="", line=None) for frame in frames]
