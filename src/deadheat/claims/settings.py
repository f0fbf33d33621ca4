"""Finds required settings: session variables, environment variables, flags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from deadheat.claims import Said, commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deadheat.claims.commands import Command
    from deadheat.claims.outline import Outline

_VALUE = r"(?:'[^'\n]{0,400}'|\"[^\"\n]{0,400}\"|[^\s,;'\"`]{1,200})"
# "set @@tidb_index_join_batch_size = 1", "SET GLOBAL x = ON, y = 2"; not a user variable "set @x = 1"
_SET = re.compile(
    r"(?:\bset\s+|,\s*)(?P<scope>(?:global|session|local|persist)\s+|@@(?:global|session|local)\.)?"
    rf"(?:@@)?(?P<name>[A-Za-z_]\w{{1,100}})\s*:?=\s*(?P<value>{_VALUE})",
    re.IGNORECASE,
)
_SETS = re.compile(r"set\s", re.IGNORECASE)
# 'GORACE="halt_on_error=1"', "export GOMAXPROCS=2"
_ENVIRONMENT = re.compile(rf"(?<![\w-])([A-Z][A-Z0-9_]{{1,60}})=({_VALUE})")
# environment variables that are recognized without a command
_KNOWN = frozenset((
    "GORACE", "GOMAXPROCS", "GODEBUG", "GOFLAGS", "GOGC", "GOEXPERIMENT", "GOARCH", "GOOS", "GOAMD64",
    "GOTRACEBACK", "CGO_ENABLED", "GO111MODULE", "TSAN_OPTIONS", "RUSTFLAGS", "RUST_TEST_THREADS",
    "MIRIFLAGS", "OMP_NUM_THREADS", "MALLOC_ARENA_MAX",
))  # fmt: skip
# failpoints, which are a kind of their own
_INJECTED = frozenset(("GO_FAILPOINTS", "GOFAIL_FAILPOINTS", "GOFAIL_HTTP"))
# "CONFIG_KCSAN=y"
_CONFIG = re.compile(r"(?<!\w)(CONFIG_[A-Z0-9_]{2,80})=(y|m|n|\d{1,12}|\"[^\"\n]{0,100}\")(?!\w)")
# "sysctl -w kernel.kptr_restrict=1"
_SYSCTL = re.compile(r"\bsysctl (?:-w )?([\w.]{3,100}) ?= ?(\S{1,100})")
# flags that affect whether a race occurs
_FLAG = re.compile(
    r"(?<!\S)(--?(?:race|short|failfast|msan|asan)|--?(?:count|cpu|parallel|tags|shuffle|benchtime|timeout|runs_per_test"
    r"|test-threads|tool|history-level|jobs)(?:[= ](?!-)[\w.,:-]{1,60})?|-[jp][ =]?\d{1,3}"
    r"|-fsanitize=[\w,]{1,60}|-Z ?sanitizer=\w{1,30}|-Zmiri-[\w=-]{1,60}|-O[0-3sz])(?!\S)"
)


class Settings:
    kind = "setting"

    def find(self, outline: Outline) -> Iterator[Said]:
        for command in commands.sql(outline):
            yield from self._sql(outline, command)
        for command in commands.shell(outline):
            yield from self._shell(outline.text, command)
        for block in outline.blocks:
            if not block.printed:
                yield from self._config(outline.text, block.start, block.end)
            if block.kind == "prose":
                yield from self._prose(outline.text, block.start, block.end)

    def _sql(self, outline: Outline, command: Command) -> Iterator[Said]:
        # "update t set v = 1" sets no variable
        if not _SETS.match(command.text):
            return
        for match in _SET.finditer(outline.text, command.start, command.end):
            yield self._set(match, command.session)

    def _set(self, match: re.Match[str], session: str = "") -> Said:
        scope = (match["scope"] or "").strip("@. ").lower()
        details = [("scope", scope)] if scope else []
        details += [("session", session)] if session else []
        value = f"{match['name']} = {match['value']}"
        return Said(self.kind, value, *match.span(), "sql", tuple(details))

    def _shell(self, text: str, command: Command) -> Iterator[Said]:
        for match in _ENVIRONMENT.finditer(text, command.start, command.end):
            if match[1] not in _INJECTED:
                yield Said(self.kind, f"{match[1]}={match[2]}", *match.span(), "environment")
        for match in _FLAG.finditer(text, command.start, command.end):
            yield Said(self.kind, match[1], *match.span(1), "flag")
        for match in _SYSCTL.finditer(text, command.start, command.end):
            yield Said(self.kind, f"{match[1]} = {match[2]}", *match.span(), "sysctl")

    def _config(self, text: str, start: int, end: int) -> Iterator[Said]:
        for match in _CONFIG.finditer(text, start, end):
            yield Said(self.kind, match[0], *match.span(), "config")

    def _prose(self, text: str, start: int, end: int) -> Iterator[Said]:
        for match in _ENVIRONMENT.finditer(text, start, end):
            if match[1] in _KNOWN:
                value = match[2].rstrip(".,)")
                stop = match.end() - (len(match[2]) - len(value))
                yield Said(self.kind, f"{match[1]}={value}", match.start(), stop, "environment")
        for match in _SET.finditer(text, start, end):
            before = text[max(start, match.start() - 1) : match.start()]
            # "`set x=1`" may be a shell command
            if before == "`" and (match["scope"] or "@@" in match[0]):
                yield self._set(match)


FINDER = Settings()
