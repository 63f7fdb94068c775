"""Pictures of results, verdicts and rankings, drawn by matplotlib."""

from __future__ import annotations

from fastgc.report.pictures.choosing import of
from fastgc.report.pictures.drawing import figure, image, save, svg
from fastgc.report.pictures.picture import Picture

__all__ = ["Picture", "figure", "image", "of", "save", "svg"]
