"""Coverage-guided fuzzing of everything that reads untrusted input: `make fuzz`."""
