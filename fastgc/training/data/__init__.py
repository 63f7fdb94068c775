"""What models learn from: made from a true model, sets of scikit-learn, or the user's own files."""

from fastgc.training.data.data import Data

__all__ = ["Data"]
