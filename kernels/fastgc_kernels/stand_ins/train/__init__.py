"""Stand-ins of `fastgc_kernels.train`."""
