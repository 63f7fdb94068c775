"""Running schemes for real, held against the clock of this machine, and against lies."""
