"""Counts the steps that the interpreted package takes: a deterministic measure of its running time.

The modules are imported a second time with counters in them. A step is a call of a function or one round of a loop,
including those of comprehensions. Work of built-in functions is counted by the size of what they read: a step is worth
about 100 ns, in which `bytes.find` reads 256 bytes, a regular expression 8, and `sorted` 4 items.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Sized
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

import deadheat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

STEP, REGEX_BYTE, ITEM = 256, 32, 64
_SEARCHES = frozenset(("find", "index", "rfind", "rindex"))
_BYTES = (str, bytes, bytearray, memoryview)
_CONTAINERS = (list, tuple, set, frozenset, dict)
# built-in functions and methods that read each item of their arguments
_READERS = frozenset((
    "sorted", "sum", "min", "max", "any", "all", "join", "update", "extend", "union", "difference", "intersection",
    "difference_update", "isdisjoint", "issubset", "issuperset", "fromkeys", "loads", "sort", "reverse", "copy",
))  # fmt: skip
_SHIFTS = frozenset(("pop", "insert", "remove", "index", "count"))
# pure Python in which much of the time of reading a mail is spent
_OTHER_PACKAGES = ("email",)
# its caches depend on no text; to fill them takes nine tenths of the time of a small text
_SEARCHERS = "deadheat.text.prefilter"


class StepCounter:
    """The steps since the last reset, as sums of the sizes above."""

    def __init__(self) -> None:
        self.total = 0

    def tick(self) -> bool:
        self.total += STEP
        return True

    def call(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        result = function(*args, **named)
        kind = type(function)
        if kind is BuiltinFunctionType:
            self.total += _builtin_cost(function, args, result)
        elif kind is FunctionType:
            if not function.__module__.startswith("deadheat"):
                self.total += STEP + sum(len(arg) for arg in args if isinstance(arg, _BYTES))
        elif kind is type and function in _CONTAINERS:
            self.total += STEP + ITEM * len(result)
        return result

    def slice(self, value: Any, *bounds: int | None) -> Any:
        return self.size(value[slice(*bounds)])

    def contains(self, item: Any, container: Any) -> bool:
        if isinstance(container, _BYTES):
            at = container.find(item)  # type: ignore[union-attr]
            self.total += len(container) if at < 0 else at
        elif isinstance(container, (list, tuple)):
            self.total += ITEM * len(container) // 4
        return item in container

    def add(self, left: Any, right: Any) -> Any:
        return self.size(left + right)

    def size(self, value: Any) -> Any:
        if isinstance(value, _BYTES):
            self.total += len(value)
        elif isinstance(value, _CONTAINERS):
            self.total += ITEM * len(value) // 4
        return value


def _builtin_cost(function: Any, args: Sequence[Any], result: Any) -> int:
    owner, name = function.__self__, function.__name__
    if type(owner).__name__ == "Pattern":
        return STEP + REGEX_BYTE * _matched_size(name, args, result)
    if isinstance(owner, _BYTES):
        if name in _SEARCHES or name == "count":
            start, end, _ = slice(*args[1:3] if len(args) > 2 else (*args[1:], None)).indices(len(owner))
            size = max(0, end - start)
            if name != "count" and result >= 0:
                size = int(result - start if name[0] != "r" else end - result)
            return STEP // 4 + size
        if name in ("startswith", "endswith"):
            return STEP // 4
        size = sum(len(arg) for arg in (*args, owner, result) if isinstance(arg, Sized))
        return STEP // 4 + size * (ITEM if name in ("split", "splitlines") and len(result) > size else 1)
    if isinstance(owner, list) and name in _SHIFTS:
        position = args[0] if name in ("pop", "insert") and args else None
        return STEP // 4 + (ITEM // 16 * (len(owner) - max(0, position)) if isinstance(position, int) else 0)
    if name in _READERS:
        return STEP // 4 + ITEM * sum(len(arg) for arg in (*args, result) if isinstance(arg, _CONTAINERS))
    return STEP // 4


def _matched_size(name: str, args: Sequence[Any], result: Any) -> int:
    """The number of characters that a method of a pattern reads. A `match` that fails is not counted."""
    text, *bounds = args[1:] if name in ("sub", "subn") else args
    if name in ("sub", "subn", "split"):
        return len(text)
    start, end, _ = slice(*bounds if len(bounds) > 1 else (*bounds, None)).indices(len(text))
    if name in ("match", "fullmatch", "search"):
        last: int = result.end() if result is not None else end if name == "search" else start
        return last - start
    return end - start


class _Counting(ast.NodeTransformer):
    """Inserts calls of the counter."""

    def _call(self, name: str, *args: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(f"_steps_{name}_", ast.Load()), list(args), [])

    def _count_body(self, node: Any) -> Any:
        self.generic_visit(node)
        is_documented = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
        node.body.insert(int(is_documented), ast.Expr(self._call("tick")))
        return node

    visit_For = visit_While = _count_body  # noqa: N815, names that `ast` calls

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        return self._count_body(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        node.ifs.insert(0, self._call("tick"))
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals"):
            return node
        return ast.Call(ast.Name("_steps_call_", ast.Load()), [node.func, *node.args], node.keywords)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or not isinstance(node.slice, ast.Slice):
            return node
        bounds = [bound or ast.Constant(None) for bound in (node.slice.lower, node.slice.upper, node.slice.step)]
        return self._call("slice", node.value, *bounds)

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) > 1 or not isinstance(node.ops[0], ast.In | ast.NotIn):
            return node
        found = self._call("contains", node.left, node.comparators[0])
        return found if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), found)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        return self._call("add", node.left, node.right) if isinstance(node.op, ast.Add) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self.generic_visit(node)
        if isinstance(node.target, ast.Subscript):  # appends to a string in a list, which copies it
            again = ast.Subscript(node.target.value, node.target.slice, ast.Load())
            return [node, ast.Expr(self._call("size", again))]
        return node

    def visit_Starred(self, node: ast.Starred) -> Any:
        self.generic_visit(node)
        return ast.Starred(self._call("size", node.value), node.ctx) if isinstance(node.ctx, ast.Load) else node


class _CountingLoader(SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        tree = ast.parse(self.get_data(self.path))
        return compile(ast.fix_missing_locations(_Counting().visit(tree)), self.path, "exec", dont_inherit=True)


class _CountingFinder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if not _is_counted(fullname):
            return None
        spec = PathFinder.find_spec(fullname, [str(_SOURCE)] if fullname == "deadheat" else path)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _CountingLoader(fullname, spec.loader.path)
        return spec


_SOURCE = Path(__file__).parent.parent / "src"


def _is_counted(name: str) -> bool:
    return name.partition(".")[0] in (deadheat.__name__, *_OTHER_PACKAGES)


@contextmanager
def counted_package() -> Iterator[StepCounter]:
    """Within it, `import deadheat` gives the package with counters."""
    others = {name: sys.modules.pop(name) for name in [*sys.modules] if _is_counted(name)}
    counter, finder = StepCounter(), _CountingFinder()
    methods = {
        f"_steps_{name}_": getattr(counter, name) for name in ("tick", "call", "slice", "contains", "add", "size")
    }
    vars(builtins).update(methods)
    sys.meta_path.insert(0, finder)
    try:
        yield counter
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _is_counted(name)]:
            del sys.modules[name]
        sys.modules.update(others)
        for name in methods:
            delattr(builtins, name)


def clear_caches() -> None:
    """Empty the caches of the counted package, so that the order of the tests does not matter."""
    for name, module in [*sys.modules.items()]:
        for value in vars(module).values() if name.startswith("deadheat") else ():
            if isinstance(value, _lru_cache_wrapper) and value.__module__ != _SEARCHERS:
                value.cache_clear()
