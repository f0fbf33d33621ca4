"""Finds the steps to reproduce: commands and statements in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.claims import Said, commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.claims.outline import Outline


class Steps:
    kind = "step"

    def find(self, outline: Outline) -> Iterator[Said]:
        for role, found in (("shell", commands.shell(outline)), ("sql", commands.sql(outline))):
            for command in found:
                session = (("session", command.session),) if command.session else ()
                yield Said(self.kind, command.text, command.start, command.end, role, session)


FINDER = Steps()
