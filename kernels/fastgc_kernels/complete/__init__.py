"""Times of workers → completion time."""
