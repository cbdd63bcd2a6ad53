import numpy as np
import pytest

from central.corpus.embeddings import file_vectors, pack_direction, unpack_directions


def vector(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


def test_a_packed_direction_is_nearly_that_of_the_vector() -> None:
    random = np.random.default_rng(7)
    vectors = random.normal(size=(50, 256)).astype(np.float32)
    packed = [pack_direction(one) for one in vectors]
    assert {len(one or b"") for one in packed} == {256}
    unpacked = unpack_directions([one for one in packed if one], 256)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.linalg.norm(unpacked, axis=1) == pytest.approx(1.0)
    assert (unpacked * unit).sum(axis=1).min() > 0.9995


def test_a_zero_vector_has_no_direction() -> None:
    assert pack_direction(vector(0.0, 0.0)) is None


def test_a_file_has_the_direction_of_its_chunks_together() -> None:
    chunks = [
        ("a.py", vector(1.0, 0.0)),
        ("a.py", vector(0.0, 1.0)),
        ("b.py", vector(0.0, -1.0)),
        ("c.py", vector(1.0, 0.0)),
        ("c.py", vector(-1.0, 0.0)),
    ]
    assert file_vectors(chunks) == {
        "a.py": pack_direction(vector(1.0, 1.0)),
        "b.py": pack_direction(vector(0.0, -1.0)),
        # "c.py": its chunks cancel each other out
    }
