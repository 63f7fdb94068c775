"""What tests of the registry share: it is left as it was."""

import pytest


@pytest.fixture(autouse=True)
def _fresh(own_members: None) -> None:
    """Leave the registry as it was."""
