"""The former name of `deadheat.spark`, kept for programs that import it."""

from deadheat.spark import distinct_reports as reports
from deadheat.spark import families, races, read, register, sightings
from deadheat.spark import prepare_session as prepare
from deadheat.spark import start_session as started

__all__ = ["families", "prepare", "races", "read", "register", "reports", "sightings", "started"]
