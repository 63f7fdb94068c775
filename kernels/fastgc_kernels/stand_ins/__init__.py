"""NumPy forms of kernels, with the same bits, for what is too little to load a compiler for.

A stand-in has the module, name and arguments of its kernel. It gives NotImplemented, with nothing
touched, where it would take long. Kernels that it calls are the plain functions there, and helpers
without branches work on arrays.
"""
