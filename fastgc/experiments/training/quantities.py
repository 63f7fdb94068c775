"""What a training experiment can measure, each with its unit; "1" for pure numbers."""

#: One value an iteration, 0 … L.
CURVES = {
    "loss": "1",
    "gradient_error": "1",
    "distance": "1",
    "time": "seconds",
    "downloads": "1",
    "uploads": "1",
    "gradients": "1",
    "messages": "1",
    "worker_seconds": "seconds",
}
#: One value a run.
TO_LOSS = {
    "time_to_loss": "seconds",
    "downloads_to_loss": "1",
    "uploads_to_loss": "1",
    "gradients_to_loss": "1",
}
MEASURES = {**CURVES, **TO_LOSS, "reached": "1", "diverged": "1"}
