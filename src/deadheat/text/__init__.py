"""Regular expressions that are compiled on first use.

Compiling the expressions of every detector takes longer than reading a small log.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_PATTERN_METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


class _LazyPattern:
    """A pattern that compiles itself on first access."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled: Any = re.compile(self.pattern, self._flags)
        # later calls find the method without __getattr__
        for method in _PATTERN_METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy_compile(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Like `re.compile`, but compiles on first use."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))
