"""The lake: Delta tables that are written and read without a JVM or Spark."""
