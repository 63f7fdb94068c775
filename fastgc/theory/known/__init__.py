"""Which closed forms apply to an experiment: by family of its code or system, or by selection.

Each file holds what is known of some families, and registers it.
"""

from fastgc.theory.known.registered import closed_forms

__all__ = ["closed_forms"]
