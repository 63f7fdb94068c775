"""The command ``fastgc``: it parses arguments, calls the library, and prints."""
