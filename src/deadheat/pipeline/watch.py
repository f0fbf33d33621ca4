"""Ingests new files periodically, as a Structured Streaming query.

The source of the query is a clock. Each batch compares the files with those in the lake, because
the file source of Spark does not notice growing files and forgets old ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from deadheat.errors import DeadheatError
from deadheat.pipeline.ingest import ingest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from deadheat.lake.tables import Lake
    from deadheat.pipeline.ingest import Options, Start, Summary

CHECKPOINT = "_checkpoint"


def watching(
    start: Start,
    lake: Lake,
    paths: Sequence[str],
    options: Options,
    every: float,
    tell: Callable[[Summary], None] = lambda _: None,
) -> StreamingQuery:
    """Start the query. `on_batch` is called with the summary of each batch."""
    spark = start(False)

    def batch(_: DataFrame, number: int) -> None:
        tell(ingest(lambda small: spark, lake, paths, options))

    clock = spark.readStream.format("rate").option("rowsPerSecond", 1).load()
    return (
        clock.writeStream.foreachBatch(batch)
        .queryName("deadheat")
        .option("checkpointLocation", lake.place.at(CHECKPOINT))
        .trigger(processingTime=f"{every} seconds")
        .start()
    )


def watch(
    start: Start,
    lake: Lake,
    paths: Sequence[str],
    options: Options,
    every: float,
    tell: Callable[[Summary], None],
) -> None:
    """Ingest new files until interrupted."""
    query = watching(start, lake, paths, options, every, tell)
    try:
        query.awaitTermination()
    except KeyboardInterrupt:
        raise
    except Exception as error:
        said = str(error).strip().partition("\n")[0]
        raise DeadheatError(f"the query failed ({said})", lake.uri) from error
    finally:
        query.stop()
