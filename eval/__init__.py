"""Quality of grouping and diagnosis on the labelled corpus and on real races."""
