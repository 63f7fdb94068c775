"""Members of plug-in groups, the bases of their classes, and complaints about what a study says.

`register` makes a class of one's own a member; see `fastgc.registry.plugin_groups`.
"""

from fastgc.errors import lazily

__getattr__, __dir__, _names = lazily(__name__, __file__)
__all__ = [name for name in _names if name not in ("made", "union")]  # for fastgc's own tables
