"""Gradients of which workers send parts: chunks one by one or in batches, blocks of coordinates."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fastgc import codes
from fastgc.arrays import Mask, Values
from fastgc.codes.code import Code
from fastgc.decoding.decoder import Decoder
from fastgc.errors import FastgcError
from fastgc.measuring.schemes import CodedGradient, code_of_load
from fastgc.measuring.several import BatchPiece, ChunksPiece
from fastgc.systems.rules import rounded
from fastgc.systems.system import System
from fastgc.systems.timing.structure import Batches, Blocks, Chunks, Structure
from fastgc.training.problems import Problem


def in_parts(
    system: System, structure: Structure, problem: Problem, code: Code | None
) -> CodedGradient | None:
    """Return what workers compute who send parts of the work; None for all other systems.

    Raises FastgcError if the system cannot be run for real, or has a code of its own.
    """
    part = getattr(structure, "part", structure)
    if not isinstance(part, Chunks | Blocks):
        return None
    family = system.settings()["family"]
    if code is not None:
        raise FastgcError(f"must be left out with {family}, which says what workers send", "code")
    if isinstance(part, Blocks):
        return BlocksGradient.of_blocks(problem, part)
    if part.copies > 1:
        raise FastgcError(
            f"cannot be run for real: {family} with copies reports chunks before it sends, and "
            "workers here send at once; leave copies out",
            "system",
        )
    if not isinstance(part, Batches) or system.message() > 1:
        return ChunksGradient.of_chunks(problem, part, isinstance(part, Batches))
    B = np.zeros((len(part.holders), part.workers))
    for worker, own in enumerate(part.orders):
        B[list(own), worker] = 1.0
    batches = codes.code_of(B, f"batches of {part.workers} workers, summed")
    return CodedGradient.of_problem(problem, problem.load(), batches, Decoder(batches))


class ChunksGradient(CodedGradient):
    """A sum of the gradients of chunks, each counted once, sent one by one or ``together``.

    Its code has a column for each chunk of a worker, the j-th of worker w being number w·d + j; so
    many of them are in an answer as are sent together, 1 or d.
    """

    _each: int
    _together: int

    @classmethod
    def of_chunks(cls, problem: Problem, chunks: Chunks, together: bool) -> CodedGradient:
        """Return the gradient of a problem, of which each chunk is counted once."""
        order = np.array(chunks.orders).ravel()
        B = np.zeros((len(chunks.holders), order.size))
        B[order, np.arange(order.size)] = 1.0
        how = "in batches" if together else "one by one"
        code = codes.code_of(B, f"chunks of {chunks.workers} workers, {how}")
        found = cls.of_problem(problem, problem.load(), code, Decoder(code))
        assert isinstance(found, ChunksGradient)
        found._each, found._together = chunks.d, chunks.d if together else 1
        found.sizes = [found._together * found.parameters] * (code.n // found._together)
        return found

    def pieces(self) -> list[Any]:
        """Return each worker's chunks in their order."""
        own, each = super().pieces(), self._each
        kind: Any = BatchPiece if self._together > 1 else ChunksPiece
        return [kind(own[w : w + each]) for w in range(0, len(own), each)]

    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return the sum of all chunks that are in an answer."""
        chunks = {
            self._together * place + i: own
            for place, values in answers.items()
            for i, own in enumerate(values.reshape(self._together, -1))
        }
        return super().result(chunks)

    def errors(self, survivors: Mask) -> Values:
        """Return how many chunks are missing."""
        return super().errors(np.repeat(survivors, self._together, axis=1))

    def weights(self, survivors: Mask) -> Values:
        """Return which chunks are there, (rounds, chunks)."""
        return super().weights(np.repeat(survivors, self._together, axis=1))


class BlocksGradient(CodedGradient):
    """A gradient whose coordinates are cut into blocks, each with a code of its own.

    For each block workers compute whole gradients of its partitions, and send the coordinates of
    the block: no gradient of a problem is cheaper in parts.
    """

    has_weights = False  # those of a partition differ by block

    @classmethod
    def of_blocks(cls, problem: Problem, blocks: Blocks) -> CodedGradient:
        """Return the gradient of a problem; a FastgcError says if a block has no coordinate."""
        own = codes.uncoded(n=blocks.n)
        found = cls.of_problem(problem, problem.load(), own, Decoder(own))
        assert isinstance(found, BlocksGradient)
        found._settle(blocks)
        found.name = f"gradient of a {problem.model} model in {len(blocks.k)} blocks"
        return found

    def _settle(self, blocks: Blocks) -> None:
        many = self.parameters
        loads = blocks.n - np.array(blocks.k) + 1
        shares = np.diff(blocks.ends, prepend=0.0) / loads
        widths = rounded(many * shares, many, many)
        if min(widths) < 1:
            raise FastgcError(
                f"cannot be run for real: of {many} coordinates a block with {min(shares):.2g} of "
                "them has none; take a problem with more features, or leave out the block",
                "system",
            )
        self._blocks, first = [], 0
        for load, width in zip(loads.tolist(), widths, strict=True):
            code = code_of_load(blocks.n, load)
            how = self._function, self._parts, width, code, Decoder(code)
            self._blocks.append(CodedGradient(*how, first=first))
            first += width
        self.sizes = [max(widths)] * (blocks.n * len(widths))

    def pieces(self) -> list[Any]:
        each: list[list[Any]] = [block.pieces() for block in self._blocks]
        return [ChunksPiece(own) for own in zip(*each, strict=True)]

    def result(self, answers: Mapping[int, Values]) -> Values:
        """Return the decoded gradient; 0 in a block without an answer."""
        known: list[dict[int, Values]] = [{} for _ in self._blocks]
        for place, values in answers.items():
            worker, j = divmod(place, len(self._blocks))
            known[j][worker] = values[: self._blocks[j].parameters]
        found = [block.result(own) for block, own in zip(self._blocks, known, strict=True)]
        return np.concatenate(found) / self._samples

    def errors(self, survivors: Mask) -> Values:
        """Return ‖Bx − 1‖² of a coordinate on average."""
        total = np.zeros(len(survivors))
        for j, block in enumerate(self._blocks):
            own = np.ascontiguousarray(survivors[:, j :: len(self._blocks)])
            total += block.parameters / self.parameters * block.errors(own)
        return total
