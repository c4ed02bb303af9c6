"""Vectors: declarations as points, so that words find what never says them.

Owns: the protocol of what makes vectors, and the one that learns them from the workspace itself.
Must not know: links, budgets, how scores of words and of vectors are put together.
Invariant: a function of the terms of the files; nothing is downloaded, nothing is random.

Latent semantic analysis (Deerwester, Dumais, Furnas, Landauer, Harshman 1990): the matrix of declarations and terms, by
logarithm of the count and rarity, is cut to its strongest dimensions; words that stand in like declarations come near
to each other there. The cut is a randomized one with power iterations (Halko, Martinsson, Tropp 2011, algorithm 4.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol

import attrs

from graphls.context.candidates import UnitKey
from graphls.context.lexical import FileTerms
from graphls.context.terms import term_id
from graphls.facts.paths import FilePath

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    Matrix = NDArray[np.float32]

DIMENSIONS: Final = 100
_MORE: Final = 16
"""Dimensions that are computed and dropped, for a better cut."""
_POWER: Final = 2
_SHARED: Final = 2
"""Declarations that have a term that counts."""
_SEED: Final = 20_260_101


class UnitVectors(Protocol):
    """Where declarations are, and which are near to some words."""

    def nearest(self, words: Mapping[str, float], limit: int) -> Sequence[tuple[float, UnitKey]]:
        """Declarations by cosine with the words, nearest first; ties by file and place."""
        ...


class VectorProvider(Protocol):
    """Makes vectors of declarations. `name` is said with every answer, and vectors of two names are never compared."""

    @property
    def name(self) -> str: ...

    def vectors(self, corpus: Mapping[FilePath, FileTerms]) -> UnitVectors:
        """The vectors of all declarations of these files."""
        ...


@attrs.frozen(eq=False)
class _LearnedVectors:
    keys: Sequence[UnitKey]
    term_rows: Mapping[int, int]
    term_vectors: Matrix
    """A row a term, weighted by its rarity."""
    unit_vectors: Matrix
    """A row a declaration, of length 1."""

    def nearest(self, words: Mapping[str, float], limit: int) -> Sequence[tuple[float, UnitKey]]:
        import numpy as np

        rows = [(self.term_rows[term_id(word)], weight) for word, weight in sorted(words.items())
                if term_id(word) in self.term_rows]  # fmt: skip
        if not rows:
            return ()
        weights = np.array([weight for _, weight in rows], dtype=np.float32)
        query = weights @ self.term_vectors[[row for row, _ in rows]]
        size = float(np.linalg.norm(query))
        if not size:
            return ()
        scores: list[float] = np.round(self.unit_vectors @ (query / np.float32(size)), 5).tolist()
        order = sorted((-score, at) for at, score in enumerate(scores) if score > 0)
        return [(-score, self.keys[at]) for score, at in order[:limit]]


@attrs.frozen
class LatentSemantics:
    """The built-in provider."""

    dimensions: int = DIMENSIONS

    @property
    def name(self) -> str:
        """What the vectors are."""
        return f"lsa-{self.dimensions}"

    def vectors(self, corpus: Mapping[FilePath, FileTerms]) -> UnitVectors:
        """Learns from these files alone."""
        import numpy as np

        counts = _counts(corpus)
        if counts is None:
            return _NoVectors()
        keys, terms, matrix, rarity = counts
        space = _strongest(matrix, min(self.dimensions, *matrix.shape))
        units = _unit_rows(matrix @ space)
        rows = {int(term): row for row, term in enumerate(terms)}
        return _LearnedVectors(keys, rows, (space * rarity[:, None]).astype(np.float32), units)


@attrs.frozen
class _NoVectors:
    """Nothing to learn from."""

    def nearest(self, words: Mapping[str, float], limit: int) -> Sequence[tuple[float, UnitKey]]:
        return ()


def _counts(
    corpus: Mapping[FilePath, FileTerms],
) -> tuple[Sequence[UnitKey], NDArray[np.int64], csr_matrix, NDArray[np.float32]] | None:
    """Declarations, terms, the weighted matrix with rows of length 1, and the rarity of each term."""
    import numpy as np
    from scipy.sparse import csr_matrix

    keys: list[UnitKey] = []
    rows: list[NDArray[np.int64]] = []
    ids: list[NDArray[np.int64]] = []
    counts: list[NDArray[np.float32]] = []
    for path, known in sorted(corpus.items()):
        if known.terms:
            rows.append(np.asarray(known.unit, dtype=np.int64) + len(keys))
            ids.append(np.repeat(np.asarray(known.terms, dtype=np.int64), np.diff(np.asarray(known.first))))
            counts.append(np.asarray(known.count, dtype=np.float32))
        keys += [UnitKey(path, unit) for unit in range(len(known.rows))]
    if not rows:
        return None
    terms, columns = np.unique(np.concatenate(ids), return_inverse=True)
    spread = np.bincount(columns, minlength=len(terms))
    rarity = np.log(len(keys) / spread).astype(np.float32)
    # A term of one declaration says nothing of another.
    rarity[spread < _SHARED] = 0
    row = np.concatenate(rows)
    values = ((1 + np.log(np.concatenate(counts))) * rarity[columns]).astype(np.float32)
    lengths = np.sqrt(np.bincount(row, weights=values * values, minlength=len(keys)))
    lengths[lengths == 0] = 1
    values = (values / lengths[row]).astype(np.float32)
    used = values > 0
    matrix = csr_matrix((values[used], (row[used], columns[used])), shape=(len(keys), len(terms)), dtype=np.float32)
    return keys, terms, matrix, rarity


def _unit_rows(vectors: Matrix) -> Matrix:
    import numpy as np

    sizes = np.linalg.norm(vectors, axis=1)
    sizes[sizes == 0] = 1
    return (vectors / sizes[:, None]).astype(np.float32)


def built_in_provider() -> VectorProvider | None:
    """The one that learns from the workspace; None where what it computes with is not installed."""
    known = find_spec("numpy") is not None and find_spec("scipy") is not None
    return LatentSemantics() if known else None


def _strongest(matrix: csr_matrix, dimensions: int) -> Matrix:
    """The strongest right singular vectors, a column each."""
    import numpy as np

    width = min(dimensions + _MORE, min(matrix.shape))
    sample = np.random.default_rng(_SEED).standard_normal((matrix.shape[0], width), dtype=np.float32)
    basis = matrix.T @ sample
    for _ in range(_POWER):
        basis, _ = np.linalg.qr(basis)
        basis = matrix.T @ (matrix @ basis)
    basis, _ = np.linalg.qr(basis)
    small = matrix @ basis
    _, _, turn = np.linalg.svd(small.T @ small)
    return (basis @ turn.T)[:, :dimensions].astype(np.float32)
