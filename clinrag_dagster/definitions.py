"""The code location that `workspace.yaml` and `[tool.dg]` name."""

from clinrag_dagster.build import build_defs

defs = build_defs()
