"""Judges one commit at a time: did it mend a race, and how; knows no Spark and no lake."""
