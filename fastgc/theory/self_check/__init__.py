"""Statements about fastgc itself, for the machine that it runs on: random numbers and runs.

No paper says them and no theory needs them: ``fastgc validate self-check`` measures them where
fastgc is installed, and they are counted apart from the papers' claims.
"""

from fastgc.theory.papers.paper import Paper

paper = Paper("self-check", "", ("runs",))

__getattr__, __dir__ = paper.__getattr__, paper.names
