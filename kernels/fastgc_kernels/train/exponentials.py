"""What the losses of logistic regression and of classes are made of, without libm."""

from __future__ import annotations

from fastgc_kernels._jit import inline
from fastgc_kernels.draw.variates import exp, log


@inline
def logistic_loss(m):
    """(log(1 + e^−m), 1/(1 + e^m)): loss at margin m and how steeply it falls there.

    Only e^−|m| ≤ 1 is formed, so that nothing overflows; what 1 + e^−|m| loses in rounding is put
    back, so that small losses keep their digits. A margin that is no number gives a loss that is
    none.
    """
    e = exp(-abs(m))
    one = 1.0 + e
    part = 1.0 / one
    loss = (0.0 if m > 0.0 else -m) + (log(one) + (e - (one - 1.0)) * part)
    return loss, (e if m > 0.0 else 1.0) * part
