"""Who answers: models of stragglers.

A model is a `Stragglers`: it says who survives (``survivors``), or draws patterns (``draw``) once
it knows the code (``bind``). Where it knows them exactly it also has ``distribution``, the
probability of every pattern in one iteration, and either ``conditional_means``, given what stays
hidden for a whole trial, or ``lagged``, the mean of what two iterations give together.
"""

from fastgc.errors import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
globals().update({name: __getattr__(name) for name in __all__})  # members register when imported
