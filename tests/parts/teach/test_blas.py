"""The threads of matrix products."""

from vitcam.parts.teach import blas


def test_within_the_context_a_product_takes_one_thread_and_afterwards_as_many_as_before() -> None:
    import ctypes

    import numpy  # noqa: F401 - loads the library

    libraries = [ctypes.CDLL(path) for path in blas._loaded()]
    assert libraries, "NumPy's wheels bring OpenBLAS along"
    before = [blas._call(library, "get_num_threads") for library in libraries]
    with blas.one_thread():
        assert [blas._call(library, "get_num_threads") for library in libraries] == [1] * len(libraries)

    assert [blas._call(library, "get_num_threads") for library in libraries] == before
    assert min(before) >= 1
