"""Stand-ins of `fastgc_kernels.draw`."""
