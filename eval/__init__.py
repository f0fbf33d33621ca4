"""How well races keep their identity: deadheat's rule and those of others, on the labelled corpus."""
