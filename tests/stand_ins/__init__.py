"""Arguments for stand-ins, beside which their kernels are run."""
