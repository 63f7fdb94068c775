"""Vector code written by hand gives the same bits on every processor, and as loops do."""

import pytest

from suite import processors

MODULES = ("test_factor_vectors", "test_row_vectors", "test_straggler_vectors")


@pytest.mark.night
@pytest.mark.parametrize("module", [*MODULES, "test_variate_vectors"])
def test_every_processor_gives_these_bits(module):
    own = processors.digest_of(module)
    assert {kind: processors.digest_of(module, kind) for kind in processors.KINDS} == (
        dict.fromkeys(processors.KINDS, own)
    )
