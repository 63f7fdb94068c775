"""Exact tallies that merge in any order; estimates and their intervals."""
