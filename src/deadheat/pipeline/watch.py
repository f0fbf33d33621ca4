"""Goes on taking in what comes: the same batch again and again, as a Structured Streaming query.

The query's source is a clock. What there is to do is found by looking at the files and at the lake's
own receipts, because Spark's file source does not see that a file has grown, and forgets old ones.
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
    """Starts the query; `tell` is told of each batch."""
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
    """Watches until it is interrupted."""
    query = watching(start, lake, paths, options, every, tell)
    try:
        query.awaitTermination()
    except KeyboardInterrupt:
        raise
    except Exception as error:
        said = str(error).strip().partition("\n")[0]
        raise DeadheatError(f"the query has ended ({said})", lake.uri) from error
    finally:
        query.stop()
