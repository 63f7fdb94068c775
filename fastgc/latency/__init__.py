"""How long a task takes: laws of latency.

Each law says what time a load takes (``time(load, scaling)``): survival and distribution function,
both quantile functions, mean, and times from uniform numbers.
"""

from fastgc.errors import lazily

__getattr__, __dir__, __all__ = lazily(__name__, __file__)
globals().update({name: __getattr__(name) for name in __all__})  # members register when imported
