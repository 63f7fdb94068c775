"""The search for encoding matrices that are better than all known families: ``fastgc search``."""
