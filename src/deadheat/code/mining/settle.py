"""Resolves which fixes were reverted, and which merges contain other fixes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deadheat.code.git import Git
    from deadheat.code.mining.judge import Fix, Revert

# 'Revert "executor: fix data race (#30701)" (#30800)', possibly truncated
_QUOTED = re.compile(r"\brevert\b[^\"]{0,20}\"(.{8,400}?)(?:\(#\d{1,9}\))?\W*$", re.IGNORECASE)
# 'Revert "Revert "executor: fix data race""', 'Reapply "executor: fix data race"': applied again
_AGAIN = re.compile(r"\brevert\W{1,4}revert\b|^reapply\b", re.IGNORECASE)
_INNER = re.compile(r"^(?:revert\W{1,4}(?=revert)|reapply\b)", re.IGNORECASE)
_NUMBER = re.compile(r"\s*\(#\d{1,9}\)\s*$")
_LEAST_PREFIX = 7


def settled(
    fixes: Iterable[Fix], reverts: Iterable[Revert], brought: Mapping[str, frozenset[str]]
) -> list[Fix]:
    """The fixes, newest first, each with the commit that reverted it, if any.

    `brought` has the commits that each merge contains.
    """
    found = list(fixes)
    listed = {fix.commit for fix in found}
    back = taken_back(found, list(reverts))
    told = [
        replace(
            fix,
            reverted_by=back.get(fix.commit),
            brings=tuple(sorted(brought.get(fix.commit, frozenset()) & listed - {fix.commit})),
        )
        for fix in found
    ]
    return sorted(told, key=lambda fix: (-fix.time, fix.commit))


def taken_back(fixes: list[Fix], reverts: list[Revert]) -> dict[str, str]:
    """The reverted fixes, each with the commit that reverted it; a revert may itself be reverted."""
    undone = {name for revert in reverts for name in _named(revert, [r.commit for r in reverts])}
    again = {_core(revert.subject) for revert in reverts if _AGAIN.search(revert.subject)}
    by_pull = {fix.pull: fix.commit for fix in fixes if fix.pull}
    by_subject = {_plain(fix.subject): fix.commit for fix in fixes}
    back: dict[str, str] = {}
    for revert in reverts:
        if (
            revert.commit in undone
            or _AGAIN.search(revert.subject)
            or _core(revert.subject) in again
        ):
            continue
        names = _named(revert, [fix.commit for fix in fixes])
        names += [by_pull[pull] for pull in revert.pulls if pull in by_pull]
        if (told := _QUOTED.search(revert.subject)) and (subject := _plain(told[1])) in by_subject:
            names.append(by_subject[subject])
        back |= dict.fromkeys(names, revert.commit)
    return back


def _core(subject: str) -> str:
    """The subject that was reverted or reapplied; the subject itself if none is quoted."""
    told = _QUOTED.search(_INNER.sub("", subject)) if _AGAIN.search(subject) else None
    told = told or _QUOTED.search(subject)
    return _plain(told[1]) if told else subject


def _named(revert: Revert, commits: list[str]) -> list[str]:
    return [
        commit
        for commit in commits
        for name in revert.commits
        if len(name) >= _LEAST_PREFIX and commit.startswith(name)
    ]


def _plain(subject: str) -> str:
    return _NUMBER.sub("", subject).strip(" \"'")


def brought(git: Git, fixes: Iterable[Fix]) -> dict[str, frozenset[str]]:
    """The commits that each merge among the fixes added to the main line."""
    return {
        fix.commit: frozenset(git.lines("rev-list", fix.commit, f"^{fix.commit}^1"))
        for fix in fixes
        if fix.is_merge
    }
