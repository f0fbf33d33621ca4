"""The one place that holds the version."""

__version__ = "0.1.0"

# raise it when pins, variables, fixes or diagnoses change: cached and stored answers are computed again
RULES_VERSION = 3

# raise it when a detector's report is parsed to other values: `deadheat retriage` parses older rows again
PARSER_VERSION = 1
