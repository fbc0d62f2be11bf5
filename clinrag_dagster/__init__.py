"""The Dagster code location of clinrag.

Numpy multiplies with one thread here: what a search multiplies is small, and a second thread of
OpenBLAS takes a core while it waits for the next product. Each core has work of its own.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
