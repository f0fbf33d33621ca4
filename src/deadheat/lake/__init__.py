"""The lake: Delta tables of what was seen, written and read without a JVM; knows no Spark."""
