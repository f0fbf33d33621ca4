"""Does an access end the life of what is raced for, by the detector's word? No lock orders that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.model import Op

if TYPE_CHECKING:
    from deadheat.diagnose.side import Side
    from deadheat.model import Frame

# "pthread_mutex_destroy", "pthread_cond_destroy", "sem_destroy", "mtx_destroy", "cnd_destroy"
_DESTROYS = re.compile(
    r"^(?:_{2,3}interceptor_)?(?:pthread_(?:mutex|cond|rwlock|spin|barrier)|sem|mtx|cnd)_destroy$"
)


def destroys(side: Side) -> Frame | None:
    """The frame that takes a lock, a condition or a semaphore apart, if its access is that."""
    return side.above(_DESTROYS) if side.writes else None


def ends_it(side: Side) -> bool:
    """Is there no such object any more after its access?

    A destructor that writes may be a guard's, which counts something; one that frees, or of which the
    detector says that it changes what the object is, ends a part of its own.
    """
    if destroys(side) is not None:
        return True
    changes = side.scene.report.kind == "data-race-on-vptr" and side.writes
    return "~" in side.name and (changes or side.access.op is Op.FREE)
