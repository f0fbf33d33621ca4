"""Turns raw bytes into clean lines per stream, each line with its raw offset."""
