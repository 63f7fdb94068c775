"""Finite statements on what fastgc builds: its codes, systems, training, estimates and runs."""
