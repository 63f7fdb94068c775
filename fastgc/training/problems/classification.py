"""What problems with several classes share."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
import pydantic
from pydantic import Field

from fastgc.training.data.data import Data
from fastgc.training.data.preparing import MOST_CLASSES, Kind
from fastgc.training.problems.keys import SYNTHETIC, only_with
from fastgc.training.problems.problem import Problem


class Classification(Problem):
    """Cross-entropy over classes 0 … C − 1.

    ``classes`` is how many synthetic data have, 3 by default: each is a true model, and the class
    of a sample is the one that scores highest, noise · z added to every score.
    """

    TARGETS: ClassVar[Kind] = "class"
    classes: Annotated[int | None, Field(ge=2, le=MOST_CLASSES)] = None

    @pydantic.field_validator("classes")
    @classmethod
    def _made(cls, classes: int | None, info: pydantic.ValidationInfo) -> int | None:
        if classes is not None and info.data.get("data", "synthetic") != "synthetic":
            raise ValueError(only_with(SYNTHETIC, info))
        return classes

    def _synthetic(self) -> Data:
        classes = 3 if self.classes is None else self.classes
        made = self._scores(classes)
        return Data(made.X, np.argmax(made.scores, axis=1), classes)
