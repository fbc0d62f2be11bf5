"""Figures of a report are small, and a crowded one stops no release."""

import base64

import numpy as np
import pytest

from clinrag_core.evaluate.plots import panels
from clinrag_core.evaluate.report import MAX_FIGURE_BYTES, figure_block


def crowded(points: int):
    """A figure that compresses badly."""
    figure, (ax,) = panels(1, width=8.0)
    noise = np.random.default_rng(0)
    ax.scatter(*noise.random((2, points)), c=noise.random((points, 3)), s=4)
    return figure


def size_of(points: int) -> int:
    return len(base64.b64decode(figure_block("noise", "noise", crowded(points)).png))


@pytest.mark.parametrize("points", [10, 1_500])
def test_a_crowded_figure_is_made_coarser_until_it_fits(points: int):
    """The picture of one more pipeline was 250 bytes too large, so nothing was released."""
    assert 0 < size_of(points) <= MAX_FIGURE_BYTES


def test_equal_figures_give_equal_bytes():
    blocks = {figure_block("noise", "noise", crowded(1_500)).png for _ in range(2)}
    assert len(blocks) == 1
