"""Damaged files, full disks, folders that go away, two writers: each a sentence, nothing lost.

``python -m bench.faults`` from the repository's root.
"""
