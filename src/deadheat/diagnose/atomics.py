"""Is an access atomic? By the detector's word, a frame's, or the line's; for the rules about atomics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.diagnose.scene import Side

# "sync/atomic.AddInt64" is the function "atomic.AddInt64"
_FRAME = re.compile(r"^(?:sync/)?atomic\.|^std::(?:__)?atomic|__atomic_|core::sync::atomic")
# "atomic.LoadInt64(&s.n)", "__atomic_load_n(&n, …)", "READ_ONCE(x->state)", "atomic_inc(&c)"
_CODE = re.compile(
    r"\batomic\.(?:Add|Load|Store|Swap|CompareAndSwap|And|Or)\w*\(&|\b__(?:atomic|sync)_\w+\(&"
    r"|\b(?:READ_ONCE|WRITE_ONCE|smp_load_acquire|smp_store_release|atomic\w*_(?:read|set|inc|dec|add))\("
)


def told(side: Side) -> bool:
    """Does the report itself say so?"""
    return side.atomic or side.above(_FRAME) is not None


def is_atomic(side: Side) -> bool:
    return told(side) or bool(side.here and _CODE.search(side.here.text))
