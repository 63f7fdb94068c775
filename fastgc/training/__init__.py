"""Learning under stragglers: problems, data, optimizers, and which workers are asked."""
