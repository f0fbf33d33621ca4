"""deadheat reads the output of race detectors and tracks the defects behind it.

This is the public API. `scan(text)` returns the sightings in a text. `read_documents(text)` returns
the bug reports in it with the claims of their authors. `deadheat.model` defines the types.
"""

from deadheat._version import __version__
from deadheat.api import read_documents
from deadheat.api import scan_text as scan
from deadheat.errors import DeadheatError
from deadheat.model import Access, Actor, Claim, Damage, Document, Frame, Report, Sighting
from deadheat.serialization import SCHEMA_VERSION, claim_to_wire, document_to_wire, sighting_from_wire, sighting_to_wire

__all__ = [
    "SCHEMA_VERSION",
    "Access",
    "Actor",
    "Claim",
    "Damage",
    "DeadheatError",
    "Document",
    "Frame",
    "Report",
    "Sighting",
    "__version__",
    "claim_to_wire",
    "document_to_wire",
    "read_documents",
    "scan",
    "sighting_from_wire",
    "sighting_to_wire",
]
