"""The one place that holds the version."""

__version__ = "0.1.0"

# raise it when pins, variables, fixes or diagnoses change: cached and stored answers are computed again
RULES_VERSION = 3

# raise it when reports are parsed to other values or get other causes: `deadheat retriage` parses older rows again
PARSER_VERSION = 2
