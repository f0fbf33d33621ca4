"""Reports from log records, and log records into a lake."""
