"""Finds plugins: detectors, causes, bug report formats, claim finders, output formats.

A plugin is a module-level constant, such as `DETECTOR`, or several in a tuple, such as `FORMATS`.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from deadheat.detectors import Detector
    from deadheat.diagnosis.cause import CauseDefinition


def _import_modules(package_name: str) -> Iterator[ModuleType]:
    """Import every module of a package and of its sub-packages.

    `pkgutil` also reads zip files, so this works when Spark ships the package as a zip.
    """
    package = import_module(package_name)
    for module in pkgutil.iter_modules(package.__path__, f"{package_name}."):
        if module.ispkg:
            yield from _import_modules(module.name)
        else:
            yield import_module(module.name)


@cache
def _load_plugins(package_name: str, attribute: str) -> tuple[Any, ...]:
    """Return the plugins of a package: `attribute` of a module, or the items of its plural."""
    found: list[Any] = []
    for module in _import_modules(f"deadheat.{package_name}"):
        found += getattr(module, f"{attribute}S", ())
        found += [getattr(module, attribute)] if hasattr(module, attribute) else []
    return tuple(found)


@cache
def all_detectors() -> tuple[Detector, ...]:
    """Every detector, ordered by name; the opt-in ones are last."""
    detectors: tuple[Detector, ...] = _load_plugins("detectors", "DETECTOR")
    return tuple(sorted(detectors, key=lambda detector: (detector.opt_in, detector.name)))


@cache
def default_detectors() -> tuple[Detector, ...]:
    """The detectors that are not opt-in."""
    return tuple(detector for detector in all_detectors() if not detector.opt_in)


@cache
def detector_named(name: str) -> Detector:
    """The detector with this name."""
    return next(detector for detector in all_detectors() if detector.name == name)


def display_name(detector: str) -> str:
    """The display name of a detector, or its id if the detector is unknown."""
    return next((candidate.display_name for candidate in all_detectors() if candidate.name == detector), detector)


@cache
def causes_by_name() -> dict[str, CauseDefinition]:
    """Every cause by its name, in the order of the names."""
    definitions: tuple[CauseDefinition, ...] = _load_plugins("diagnosis.causes", "CAUSE")
    return {definition.name: definition for definition in sorted(definitions, key=lambda definition: definition.name)}


def cause_title(name: str) -> str:
    """The title of a cause for people; its name if no installed module defines it."""
    definition = causes_by_name().get(name)
    return definition.title if definition else name.replace("-", " ").capitalize()


@cache
def output_formats() -> dict[str, Any]:
    """Every output format of `scan` by name."""
    formats = sorted(_load_plugins("output", "FORMAT"), key=lambda output_format: str(output_format.name))
    return {output_format.name: output_format for output_format in formats}


def bug_report_formats() -> tuple[Any, ...]:
    """Every bug report format."""
    return _load_plugins("bug_reports.formats", "FORMAT")


def claim_finders() -> tuple[Any, ...]:
    """Every claim finder."""
    return _load_plugins("bug_reports.claims", "FINDER")
