"""Formulas and arithmetic that several papers share."""
