"""The command ``fastgc``: parse, call, print."""
