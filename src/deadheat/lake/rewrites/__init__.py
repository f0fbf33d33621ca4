"""Changes that write facts again: migration to new columns, forgetting, parsing kept texts again."""
