"""What a printed symbol and a printed path mean, per language; knows nothing of reports."""
