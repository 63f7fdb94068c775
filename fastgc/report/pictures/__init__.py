"""Pictures of results, drawn by matplotlib: the extra ``plot``.

`Picture` says what is drawn; `of` makes the pictures of a result, `figure`, `svg` and `save` draw
them. For pictures of other things there are `draw` and `words`.
"""

from fastgc.report.pictures.choosing import chosen, of, plot
from fastgc.report.pictures.picture import Picture, figure, require, save, svg

__all__ = ["Picture", "chosen", "figure", "of", "plot", "require", "save", "svg"]
