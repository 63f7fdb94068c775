"""Tables and cases from which claims build their experiments."""
