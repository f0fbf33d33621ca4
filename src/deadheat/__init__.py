"""deadheat: from the text that race detectors print to the defects behind it.

The public API. `scan(text)` gives the sightings in a text; `deadheat.model` has the words.
"""

from deadheat._version import __version__
from deadheat.errors import DeadheatError
from deadheat.model import Access, Actor, Damage, Frame, Report, Sighting
from deadheat.triage import scan_text as scan
from deadheat.wire import SCHEMA_VERSION, sighting_from_wire, sighting_to_wire

__all__ = [
    "SCHEMA_VERSION",
    "Access",
    "Actor",
    "Damage",
    "DeadheatError",
    "Frame",
    "Report",
    "Sighting",
    "__version__",
    "scan",
    "sighting_from_wire",
    "sighting_to_wire",
]
