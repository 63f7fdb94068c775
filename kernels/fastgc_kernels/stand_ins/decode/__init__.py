"""Stand-ins of `fastgc_kernels.decode`."""
