"""Which closed forms apply to an experiment: by family of its code or system."""
