"""Documents that arrive over HTTP, and the process that ingests them."""
