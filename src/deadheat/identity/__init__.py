"""Which reports are the same defect; knows reports, never text or files."""
