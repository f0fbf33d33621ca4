"""Rendered pages by version and address, the least recently used are dropped."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable


class PageCache:
    """A bounded map from keys to bytes. A key names the version of everything that the page shows."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pages: OrderedDict[Hashable, bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> bytes | None:
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
            return page

    def put(self, key: Hashable, page: bytes) -> None:
        if len(page) > self._max_bytes // 8:
            return
        with self._lock:
            self._size += len(page) - len(self._pages.pop(key, b""))
            self._pages[key] = page
            while self._size > self._max_bytes:
                _, dropped = self._pages.popitem(last=False)
                self._size -= len(dropped)

    @property
    def size(self) -> int:
        return self._size
