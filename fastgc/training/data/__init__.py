"""What models learn from: made from a true model, or sets of scikit-learn."""

from fastgc.training.data.data import Data

__all__ = ["Data"]
