"""Path maps: the paths in reports, as in the repository.

A build in a container or on another machine prints paths such as `/build/ws/src/cart.go`. A map `/build/ws` -> ``
makes them `src/cart.go`, for display and for the search in a clone. Fingerprints, race ids and patterns of mutes are
made from the paths as printed, so that a map changes no identity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deadheat.model import Access, Actor, Frame, Location, Lock, LockEdge, Report, Sighting

PathMaps = tuple[tuple[str, str], ...]


def map_path(path: str, maps: PathMaps) -> str:
    """The path with its longest mapped prefix replaced; a prefix ends where a folder ends."""
    normalized = path.replace("\\", "/")
    best: tuple[str, str] | None = None
    for printed, target in maps:
        prefix = printed.replace("\\", "/").rstrip("/")
        if (normalized == prefix or normalized.startswith(f"{prefix}/")) and (
            best is None or len(prefix) > len(best[0])
        ):
            best = prefix, target
    if best is None:
        return path
    rest = normalized[len(best[0]) :].lstrip("/")
    folder = best[1].rstrip("/")
    return f"{folder}/{rest}" if folder and rest else folder or ("/" if best[1] else "") + rest


def map_report(report: Report, maps: PathMaps) -> Report:
    """The report with all its paths mapped."""
    return report._replace(
        accesses=tuple([_map_access(access, maps) for access in report.accesses]),
        actors=tuple([_map_actor(actor, maps) for actor in report.actors]),
        location=None if report.location is None else _map_location(report.location, maps),
        locks=tuple([_map_lock(lock, maps) for lock in report.locks]),
        cycle=tuple([_map_edge(edge, maps) for edge in report.cycle]),
    )


def map_sighting(sighting: Sighting, maps: PathMaps) -> Sighting:
    """The sighting with the paths of its report mapped; its title, fingerprint and race are kept."""
    return sighting.with_report(map_report(sighting.report, maps)) if maps else sighting


def _map_frame(frame: Frame, maps: PathMaps) -> Frame:
    printed = frame.path or frame.file
    mapped = map_path(printed, maps)
    return frame if mapped == printed else frame._replace(path=mapped, file=mapped)


def _map_stack(stack: tuple[Frame, ...], maps: PathMaps) -> tuple[Frame, ...]:
    return tuple([_map_frame(frame, maps) for frame in stack])


def _map_access(access: Access, maps: PathMaps) -> Access:
    site = None if access.site is None else _map_frame(access.site, maps)
    return access._replace(stack=_map_stack(access.stack, maps), site=site)


def _map_actor(actor: Actor, maps: PathMaps) -> Actor:
    return actor._replace(created_at=_map_stack(actor.created_at, maps))


def _map_location(location: Location, maps: PathMaps) -> Location:
    file = None if location.file is None else map_path(location.file, maps)
    return location._replace(file=file, stack=_map_stack(location.stack, maps))


def _map_lock(lock: Lock, maps: PathMaps) -> Lock:
    return lock._replace(created_at=_map_stack(lock.created_at, maps))


def _map_edge(edge: LockEdge, maps: PathMaps) -> LockEdge:
    return edge._replace(stack=_map_stack(edge.stack, maps), held_stack=_map_stack(edge.held_stack, maps))
