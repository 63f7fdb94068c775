"""Kills at any moment: ``python -m bench.kills``. Nothing is lost, unreadable or left over."""
