"""The process in which the MCP server runs one command: `python -m deadheat.cli.mcp_worker PROGRESS LIFELINE ROOTS …`.

PROGRESS is a descriptor to which the line of progress is written, LIFELINE one that is closed when the server ends,
ROOTS a JSON array of the folders that links in scanned folders may lead to.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading

from deadheat import cli
from deadheat.cli import progress
from deadheat.printable import visible_text
from deadheat.sources import file_listing

_LINE_WIDTH = 200


def main() -> int:
    progress_descriptor, lifeline, roots, *arguments = sys.argv[1:]
    for descriptor in progress_descriptor, lifeline:
        os.set_inheritable(int(descriptor), False)
    threading.Thread(target=_end_with_server, args=(int(lifeline),), daemon=True).start()
    out = os.fdopen(int(progress_descriptor), "wb", buffering=0)

    def write_state(state: progress.ProgressState) -> None:
        line = visible_text(progress.format_line(state, _LINE_WIDTH))
        out.write(f"{line}\n".encode())

    progress.state_listener = write_state
    file_listing.allowed_folders = tuple(json.loads(roots))
    return cli.main(arguments)


def _end_with_server(lifeline: int) -> None:
    """Wait until the server has ended, and end this process and those of its session."""
    os.read(lifeline, 1)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
