"""A package of models of one's own, to begin with: `package` writes it."""

from fastgc.registry.template.package import KINDS, package

__all__ = ["KINDS", "package"]
