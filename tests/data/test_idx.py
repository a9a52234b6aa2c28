"""Images and their labels in IDX files: one label for each image, pixels from 0 to 1."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.data import DataError, open_source, read


def written(folder, labels):
    """Three images of 2 x 2 pixels, and some labels beside them."""
    sizes = np.array([3, 2, 2], ">u4").tobytes()
    pixels = bytes([0, 255, 51, 102, *range(8)])
    images = folder / "some-images-idx3-ubyte"
    images.write_bytes(b"\0\0\x08\x03" + sizes + pixels)
    size = np.array([len(labels)], ">u4").tobytes()
    (folder / "some-labels-idx1-ubyte").write_bytes(b"\0\0\x08\x01" + size + bytes(labels))
    return images


def test_pixels_are_shares_of_the_largest(tmp_path):
    X, y, _ = read(written(tmp_path, [7, 1, 7]))
    np.testing.assert_allclose(X[0], [0.0, 1.0, 0.2, 0.4], rtol=1e-6)
    assert y.tolist() == [7, 1, 7]


@pytest.mark.parametrize("labels", [[7, 1], [7, 1, 7, 1]])
def test_labels_are_as_many_as_images(tmp_path, labels):
    source = open_source(written(tmp_path, labels))
    with pytest.raises(DataError, match=f"{len(labels)} labels for the 3 images"):
        list(source.batches())
