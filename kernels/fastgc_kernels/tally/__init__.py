"""Values of a block → sums and histograms."""
