"""Kills at any moment: of what is kept nothing is unreadable, nothing lost, nothing left over.

``python -m bench.kills`` from the repository's root.
"""
