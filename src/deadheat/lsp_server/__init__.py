"""A language server: shows races on the lines of the files that are open in an editor.

The server answers from memory. A process beside it reads logs, lakes, baselines and clones.
"""
