# What of scipy.sparse is used here: matrices of single precision.
import numpy as np
from numpy.typing import NDArray

class csr_matrix:  # noqa: N801
    shape: tuple[int, int]
    def __init__(
        self,
        arg1: tuple[NDArray[np.float32], tuple[NDArray[np.int64], NDArray[np.int64]]],
        shape: tuple[int, int],
        dtype: type[np.float32],
    ) -> None: ...
    @property
    def T(self) -> csr_matrix: ...  # noqa: N802
    def __matmul__(self, other: NDArray[np.float32]) -> NDArray[np.float32]: ...
