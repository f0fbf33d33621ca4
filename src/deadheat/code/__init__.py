"""Reads git repositories and source code to explain races; imports only the core packages."""
