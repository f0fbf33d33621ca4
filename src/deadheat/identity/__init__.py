"""Groups reports of the same defect. It reads reports, not text or files."""
