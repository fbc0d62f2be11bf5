"""Settings of the documentation site: `make docs` builds it, and it needs no network to be read."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from reference import write_references  # noqa: E402 - found by the path above

write_references(HERE / "reference")

project = "clinrag"
release = version = installed("clinrag")
project_copyright = "the clinrag authors"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
html_theme = "furo"
html_title = f"clinrag {version}"
html_show_sphinx = False
exclude_patterns = ["_build"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
# Pages are read on the code host too: links to other files of the repository are right there.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
copybutton_prompt_text = "$ "
