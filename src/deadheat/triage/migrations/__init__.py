"""The migrations of the database of decisions, run by Alembic."""
