"""Says in one line why Spark failed. Spark itself prints several stack traces of two languages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from deadheat.errors import DeadheatError
from deadheat.lake.storage import FULL_DISK_REMEDY

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_LENGTH = 400
_TRACEBACK = "Traceback (most recent call last):"
# "Lost task 0.3 in stage 0.0 (TID 3) (10.0.0.7 executor 1): ..."
_LOST_TASK = re.compile(r"Lost task \S+ in stage \S+ \(TID \d+\) \((?P<executor>[^)\n]+)\): ")
# "java.io.IOException: ", "org.apache.spark.SparkException: ", "deadheat.errors.DeadheatError: "
_CLASS_NAMES = re.compile(r"^(?:(?:\w+\.)+[A-Z]\w*: )+")
# a call of Java that failed; a Python process that died, which the message around it says
_SAYS_NOTHING = ("An error occurred while calling", "java.io.EOFException")
_DETAILS = "run with --verbose for details"
# what a message contains, and what to do about it
_REMEDIES = {
    r"No module named '(pyarrow|deadheat)": "executors need Python 3.11 or later with pyarrow, see --environment",
    r"Python in worker has (a )?different version": "executors need the driver's version of Python, see --environment",
    r"OutOfMemoryError|Java heap space": "try --driver-memory 4g, or --conf spark.executor.memory=4g",
    r"ExecutorLostFailure|code 137": "machines may lack memory; try --conf spark.executor.memoryOverhead=1g",
    r"No space left on device": "free some space, or set --conf spark.local.dir=DIR",
    r"maxResultSize": "try --conf spark.driver.maxResultSize=4g",
}


def describe_failure(error: BaseException) -> DeadheatError:
    """What failed, on which executor, and what to do."""
    messages = [*_messages(error)]
    executors = [match["executor"] for message in messages for match in _LOST_TASK.finditer(message)]
    everything = "\n".join(messages)
    remedy = next((do for pattern, do in _REMEDIES.items() if re.search(pattern, everything)), _DETAILS)
    where = f" on {executors[-1]}" if executors else ""
    if failure_reason(error).endswith(FULL_DISK_REMEDY):
        remedy = ""  # the reason says what to do
    return DeadheatError(f"Spark failed{where} ({failure_reason(error)})", do=remedy)


def failure_reason(error: BaseException) -> str:
    """The innermost message on one line."""
    reasons = map(_reason, reversed([*_messages(error)]))
    return next(filter(None, reasons), type(error).__name__)[:_MAX_LENGTH]


def _messages(error: BaseException | None) -> Iterator[str]:
    """The messages of an error and of its causes, in Python and in Java. The innermost is the last."""
    while error is not None:
        yield str(error)
        java_error = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
        if java_error is not None:
            yield from _java_messages(java_error)
        error = error.__cause__


def _java_messages(error: Any) -> Iterator[str]:
    while error is not None:
        yield str(error.getMessage() or error.toString())
        error = error.getCause()


def _reason(message: str) -> str:
    """The line of a message that says what happened."""
    if lost := [*_LOST_TASK.finditer(message)]:
        message = message[lost[-1].end() :]
    if _TRACEBACK in message:
        return _last_line_of_traceback(message.rpartition(_TRACEBACK)[2])
    first_line = message.strip().partition("\n")[0].strip()
    return "" if first_line.startswith(_SAYS_NOTHING) else _CLASS_NAMES.sub("", first_line)


def _last_line_of_traceback(text: str) -> str:
    """`ValueError: 3` of the text that follows the heading of a traceback."""
    for line in text.splitlines():
        # the lines of the stack are indented
        if line.strip() and not line[0].isspace():
            return re.sub(r"^(?:\w+\.)*DeadheatError: ", "", line.strip())
    return ""
