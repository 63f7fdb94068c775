"""Statements of the user's own: the ``[[claim]]`` tables of a study, and the cases they make."""
