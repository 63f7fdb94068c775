"""Stand-ins of `fastgc_kernels.tally`."""
