"""Whether an access destroys the raced object, according to the detector."""

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
    """The frame that destroys a lock, a condition or a semaphore, if the access is that."""
    return side.above(_DESTROYS) if side.writes else None


def ends_it(side: Side) -> bool:
    """Does the access end the object's lifetime?

    A destructor that writes may be that of a guard which counts something. One that frees, or whose
    write the detector reports as a vptr race, ends a part of the object.
    """
    if destroys(side) is not None:
        return True
    changes = side.scene.report.kind == "data-race-on-vptr" and side.writes
    return "~" in side.name and (changes or side.access.op is Op.FREE)
