"""Regular expressions that are compiled when they are first used: most runs need one dialect's few.

Compiling those of every detector takes longer than reading a small log.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


class _Late:
    """Stands for a pattern; what is asked of it first makes the pattern."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled: Any = re.compile(self.pattern, self._flags)
        # from now on they are found without coming here
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, a little later."""
    return cast("re.Pattern[AnyStr]", _Late(pattern, flags))
