"""Training experiments: how the loss falls when some gradients are late, wrong or left out.

One trial is one training run of ``iterations`` steps.
"""

from fastgc.experiments.table import Kind
from fastgc.experiments.training.training_experiment import TrainingExperiment
from fastgc.experiments.training.training_table import TrainingTable

__all__ = ["KIND", "TrainingExperiment", "TrainingTable"]

KIND = Kind(TrainingTable, TrainingExperiment)
