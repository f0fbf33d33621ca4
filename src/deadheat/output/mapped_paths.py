"""Path maps for any output format: sightings are mapped after they have been grouped, before they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deadheat.path_maps import map_sighting

if TYPE_CHECKING:
    from deadheat.model import Document, Sighting
    from deadheat.output import SightingCollector
    from deadheat.path_maps import PathMaps


class MappedCollector:
    """Passes sightings with mapped paths on to the collector of a format."""

    def __init__(self, collector: SightingCollector, maps: PathMaps) -> None:
        self._collector, self._maps = collector, maps

    def add_sighting(self, sighting: Sighting) -> None:
        self._collector.add_sighting(map_sighting(sighting, self._maps))

    def add_document(self, document: Document) -> None:
        self._collector.add_document(document)

    def pack_batch(self) -> Any:
        return self._collector.pack_batch()


def with_mapped_paths(collector: SightingCollector, maps: PathMaps) -> SightingCollector:
    return MappedCollector(collector, maps) if maps else collector
