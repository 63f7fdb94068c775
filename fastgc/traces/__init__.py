"""What recorded times say of the papers' models."""
