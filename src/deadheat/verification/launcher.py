"""Starts one untrusted command with limits: `python -I -S launcher.py LIMITS COMMAND…`.

A program of its own, because limits set between fork and exec in a process with threads may deadlock. It imports as
little as possible: it runs before every trial. LIMITS are `core=0,fsize=1073741824,lo`; `lo` switches the loopback
interface of a new network namespace on, which is off at first.
"""

import os
import sys

_EXIT_NOT_STARTED = 127


def main() -> None:
    limits, command = sys.argv[1], sys.argv[2:]
    for limit in filter(None, limits.split(",")):
        name, _, value = limit.partition("=")
        if name == "lo":
            enable_loopback()
        else:
            set_limit(name, int(value))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"deadheat: {command[0]}: {error.strerror}\n")
        sys.exit(_EXIT_NOT_STARTED)


def set_limit(name: str, value: int) -> None:
    import resource

    kind = getattr(resource, f"RLIMIT_{name.upper()}")
    _, hard = resource.getrlimit(kind)
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (allowed, allowed))


def enable_loopback() -> None:
    import fcntl
    import socket
    import struct

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, 0x8913, request))[1]  # SIOCGIFFLAGS
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", flags | 1))  # SIOCSIFFLAGS, IFF_UP


if __name__ == "__main__":
    main()
