"""Pictures of reports stay small enough for the event log, and never stop a release."""

import base64
import random

from matplotlib.figure import Figure

from clinrag_core.evaluate.report import MAX_FIGURE_BYTES, figure_block


def picture(side: int) -> Figure:
    """A picture that hardly compresses."""
    rng = random.Random(1)  # noqa: S311 - a repeatable picture
    figure = Figure(figsize=(9.6, 9.6))
    figure.add_subplot().imshow([[rng.random() for _ in range(side)] for _ in range(side)])
    return figure


def test_a_picture_that_is_too_large_is_made_smaller_and_not_refused():
    block = figure_block("noise", "noise", picture(400))
    assert 0 < len(base64.b64decode(block.png)) <= MAX_FIGURE_BYTES
    assert block == figure_block("noise", "noise", picture(400))


def test_a_picture_that_fits_keeps_its_dots():
    data = base64.b64decode(figure_block("plain", "plain", picture(2)).png)
    width = int.from_bytes(data[16:20])
    assert width == 768
