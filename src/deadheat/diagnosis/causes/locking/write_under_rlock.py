"""A write under a lock that is held for reading only.

## What it sees
A side writes while every lock it holds is held for reading, as the detector lists them (`read M1`) or as the code
shows (`RLock`, `rdlock`, `shared_lock`). From a report alone, if the locks are not known: two threads in the same
function; a name such as `Get`, which only reads, makes it more likely.

## Why it races
Several readers hold a read lock at once. A write among them is a write without a lock.

## Example
    func (s *Stats) Get(k string) int { s.mu.RLock(); defer s.mu.RUnlock(); s.hits++; return s.m[k] }

## Remedy
Take the lock for writing there, or make the counter atomic so that readers do not block each other.

## When it is wrong
- Helgrind does not list locks that are held for reading; then the code decides.
- From a report alone the function may take no lock at all.
"""

from __future__ import annotations

from deadheat.diagnosis.cause import CauseDefinition, RemedyOption

CAUSE = CauseDefinition(
    name="write-under-rlock",
    title="A write under a lock that is held for reading only",
    family="locking",
    needs=(
        (
            "both hold one lock for reading | only the writer holds a read lock | only the writer holds a read lock "
            "(about something else) | only the writer holds a read lock (not known) | locks (not known) | detector: "
            "helgrind"
        ),
        (
            "both hold one lock for reading | only the writer holds a read lock | only the writer holds a read lock "
            "(about something else) | only the writer holds a read lock (not known) | same line | same function | "
            "one side is missing"
        ),
    ),
    contradicted_by="kind: error-stack | both hold one lock | channel is closed | WaitGroup waits",
    evidence="writer reads something | both sides write | a counter is changed",
    sentence="{writer} changes {variable} while it holds {lock} only for reading, as others may at the same time",
    remedies=(
        RemedyOption(
            "Keep the read lock, and everywhere change and read {variable} with {atomic}.",
            "{atomic}",
            "No lock; readers do not block each other.",
            needs="variable's type: number | variable's type: boolean",
        ),
        RemedyOption(
            "Take {lock} for writing in {writer}.",
            "the lock that is there, held for writing",
            "The callers of that function then wait for each other.",
            "writer",
        ),
    ),
    general_causes=("missing-lock",),
)
