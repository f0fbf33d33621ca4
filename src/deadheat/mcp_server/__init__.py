"""A server of the Model Context Protocol: the commands of deadheat as tools for a program that writes code.

It has no logic of its own: a tool is a `deadheat` command that runs in a process of its own, so that a client can
cancel it at any time, and its JSON, shortened and marked as untrusted. Only this package imports the SDK.
"""
