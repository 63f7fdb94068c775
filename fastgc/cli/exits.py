"""Exit codes of the command."""

from __future__ import annotations

DONE, DIFFERS, MISTAKE, BUG, FAILED, RESUMABLE, INTERRUPTED = 0, 1, 2, 70, 74, 75, 130
