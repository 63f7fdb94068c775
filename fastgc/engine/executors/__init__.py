"""Where blocks are run."""
