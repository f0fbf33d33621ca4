"""Which races are known and which are new; knows reports and baselines, never files or clocks."""
