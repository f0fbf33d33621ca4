"""Whether a commit contains another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from deadheat.repo.git import GitReader


def contains_commit(git: GitReader, commit: str, ancestor: str) -> bool | None:
    """Whether the history of a commit has another one; None if the clone cannot tell."""
    wanted, base = git.object_ids([f"{commit}^{{commit}}", f"{ancestor}^{{commit}}"])
    if wanted is None or base is None:
        return None
    found = list(git.output_lines("merge-base", base, wanted))
    if found == [base]:
        return True
    # the history of a shallow clone ends early, and a command that fails prints nothing
    return None if git.shallow or not found else False


def fix_finder(clones: Iterable[GitReader]) -> Callable[[str, str], bool | None]:
    """A function of a fix and a commit: whether the commit contains the fix, as the first clone with both says."""
    clones, answers = list(clones), dict[tuple[str, str], bool | None]()

    def contains_fix(fix: str, commit: str) -> bool | None:
        if (fix, commit) not in answers:
            each = (contains_commit(git, commit, fix) for git in clones)
            answers[fix, commit] = next((answer for answer in each if answer is not None), None)
        return answers[fix, commit]

    return contains_fix
