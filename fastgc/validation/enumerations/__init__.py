"""Finite statements measured by brute force: every word, every pattern, nothing assumed.

A finite statement is about a matrix, a count or a sum, so it is decided without sampling. Nothing
here is shared with the theory that it tests, nor with the codes of a study.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fastgc.errors import FastgcError
from fastgc.validation.enumerations import (
    binary_decoding,
    binary_encoding,
    coded_training,
    coded_trees,
    decoding,
    descent,
    paths,
    printed_sizes,
    rings,
    runs,
    selection,
    sharing,
    straggler_sets,
    times,
    tree_times,
    trees,
    words,
)

__all__ = ["measure"]


def measure(finite: Mapping[str, Any]) -> float:
    """Measure a finite statement.

    Parameters
    ----------
    finite
        ``{"finite": name, ...}``: a function of ``words`` here (counts and sums over binary words),
        of ``decoding`` (least squares on every pattern of a code), of ``binary_encoding``,
        ``binary_decoding`` and ``sharing`` (paper binary), of ``trees``, ``coded_trees``,
        ``straggler_sets``, ``tree_times``, ``paths`` and ``rings`` (paper codedreduce), of
        ``times`` (papers codedreduce and hierarchical), of ``selection`` (paper gcada), of
        ``runs`` and ``coded_training`` (training step by step), or of
        ``descent`` (papers agc and codedreduce), with its arguments. A ``code`` is a
        table as in a study, of a family that `fastgc.validation.enumerations.matrices` builds.

    Returns
    -------
    float
        Exact for counts and sums of exact terms; errors are good to 1e-10 × partitions.

    Raises
    ------
    FastgcError
        If the name is unknown.

    Examples
    --------
    >>> measure({"finite": "cycle_classes", "n": 8, "weight": 4, "order": 8})
    8.0
    >>> measure({"finite": "exact_patterns", "survivors": 3,
    ...          "code": {"family": "binary", "n": 11, "s": 3}})
    36.0
    """
    arguments = dict(finite)
    name = arguments.pop("finite", None)
    if name not in _ENUMERATIONS:
        raise FastgcError(f"finite: got {name!r}, allowed are {', '.join(sorted(_ENUMERATIONS))}")
    return float(_ENUMERATIONS[name](**arguments))


_ENUMERATIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        binary_decoding.broken_shifts,
        binary_decoding.complete_patterns,
        binary_decoding.guaranteed_survivors,
        binary_decoding.largest_class_amplification,
        binary_decoding.most_look_ups,
        binary_decoding.operations_saved,
        binary_decoding.unused_vectors,
        binary_decoding.vector_weight,
        binary_decoding.wrong_class_vectors,
        binary_decoding.wrong_vectors,
        binary_encoding.coverage_defects,
        binary_encoding.coverage_failures,
        binary_encoding.encoding_differences,
        binary_encoding.excess_blocks,
        binary_encoding.largest_load_difference,
        binary_encoding.lemma4_exceptions,
        binary_encoding.load,
        binary_encoding.load_difference,
        binary_encoding.load_difference_within,
        binary_encoding.smallest_load,
        binary_encoding.total_load,
        binary_encoding.unequal_holders,
        binary_encoding.unevenness,
        coded_trees.example_coefficient,
        coded_training.coded_distance,
        coded_training.coded_gradient_error,
        coded_training.coded_loss,
        coded_trees.example_error,
        coded_trees.example_failures,
        coded_trees.example_load,
        coded_trees.example_row,
        decoding.amplification_difference,
        decoding.cycle_class_spread,
        decoding.exact_patterns,
        decoding.largest_amplification,
        decoding.largest_difference,
        decoding.largest_error,
        decoding.mean_error,
        decoding.mean_norm,
        decoding.undecodable_sets,
        descent.descent_iterations,
        descent.ignoring_error,
        descent.ignoring_iterations,
        descent.ignoring_over_tree_gradients,
        descent.mean_gradient_difference,
        descent.mean_loss_difference,
        descent.mean_weight,
        paths.least_time,
        paths.longest_delay,
        printed_sizes.caption,
        printed_sizes.data_elements,
        printed_sizes.network_parameters,
        rings.messages_at_once,
        rings.ring_messages_at_once,
        rings.rounds_of_ring,
        rings.rounds_to_reduce,
        selection.binomial_wait,
        selection.early_units,
        selection.least_schedule_time,
        selection.most_schedule_time,
        selection.selection_bound,
        selection.selection_bound_violations,
        selection.time_not_allowed,
        sharing.equal_time_load,
        sharing.least_uneven_loads,
        sharing.least_unevenness_of_classes,
        sharing.rounded_class_sum,
        sharing.workers_in_class,
        straggler_sets.breaking_stragglers,
        straggler_sets.decodable_sets,
        straggler_sets.decodable_share,
        straggler_sets.least_load,
        straggler_sets.spread_patterns_survived,
        straggler_sets.survives_first_layer,
        times.failure_slope,
        times.harmonic_difference,
        times.harmonic_sum,
        times.least_finishing_mean,
        tree_times.concentrated_mean,
        tree_times.late_group_chance,
        tree_times.late_group_exponent,
        tree_times.scattered_mean,
        tree_times.slowest_group_mean,
        tree_times.slowest_group_share,
        tree_times.tree_time_mean,
        tree_times.very_late_share,
        trees.allocated_load,
        trees.balanced_load,
        trees.gradients_computed,
        trees.largest_resilience,
        trees.least_whole_data,
        trees.points_per_worker,
        trees.star_to_tree_load,
        trees.tree_size,
        words.cycle_classes,
        words.dividing_share,
        words.survivor_probability_sum,
    )
} | runs.STATEMENTS
