"""Stand-ins of `fastgc_kernels.complete`."""
