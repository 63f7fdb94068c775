"""Formulas that a study file says in words: read, checked and evaluated, never run as code.

A study may come from a stranger: an expression is a tree of a few kinds of nodes (`expression`),
and its arithmetic is bounded and its functions are named (`functions`).
"""
