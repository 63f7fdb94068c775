"""Algorithm 3 of paper ``binary``: find a class whose workers all survived."""

from fastgc_kernels._arrays import Integers, Words
from fastgc_kernels._jit import jit


@jit
def find(packed: Words, masks: Words, out: Integers) -> None:
    """First class ``out`` (T,) that is complete in each packed pattern (T, words), −1 if none.

    ``masks`` (classes, words): the workers of each class, in the order in which they are tried.
    """
    for t in range(packed.shape[0]):
        out[t] = -1
        for c in range(masks.shape[0]):
            complete = True
            for w in range(masks.shape[1]):
                if packed[t, w] & masks[c, w] != masks[c, w]:
                    complete = False
                    break
            if complete:
                out[t] = c
                break
