"""Claims and measurements → verdicts: what `fastgc.validate` returns, and a paper's corrections."""

from pathlib import Path

from fastgc.errors import lazily

__getattr__, _names = lazily(__name__, Path(__file__).with_suffix(".pyi"))
__all__ = sorted(_names)
