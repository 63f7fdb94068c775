"""Whose gradients an iteration asks for: everybody's, CADA's choice, G-CADA's choice."""

from fastgc.training.selections.all import All
from fastgc.training.selections.cada import Cada
from fastgc.training.selections.g_cada import GCada
from fastgc.training.selections.selection import Selection

__all__ = ["All", "Cada", "GCada", "Selection"]
