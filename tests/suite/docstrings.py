"""What docstrings say, read back."""

import inspect
import re


def said(function):
    """What the section Parameters of a function's docstring, or its list of keys, says of each."""
    text = inspect.getdoc(function) or ""
    listed = re.findall(r"^\* (``\w+``(?:, ``\w+``)*) \([^:]+?\):\s+(.*)", text, re.MULTILINE)
    section = re.split(r"\n\n\w+\n-{3,}\n", text.partition("Parameters\n----------\n")[2])[0]
    listed += re.findall(r"^(\S.*?)(?: : .*)?\n    (.*)", section, re.MULTILINE)
    return {name.strip("` "): words for names, words in listed for name in names.split(",")}
