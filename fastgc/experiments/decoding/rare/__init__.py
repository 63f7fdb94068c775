"""Rare events of decoding: P(inexact) and P(error > x) where plain sampling sees none."""
