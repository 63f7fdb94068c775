"""Properties that are computed once, by threads that do not wait for each other."""

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):  # noqa: N801 — the name that all know
        """That of `functools`, without its lock.

        Before Python 3.12 a thread that computes the property of one object keeps all others from
        computing that of theirs. Two threads that ask for the same object's at once both compute
        it; where that must not be, as with the parts of an experiment, its owner has a lock.
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """Compute it, and let it be an attribute of the object from now on."""
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
