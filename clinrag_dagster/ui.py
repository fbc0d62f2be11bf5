"""`make ui`: opens the graph in Dagster on this machine only, with the manifest's partitions."""

import argparse
import os
import sys
from pathlib import Path

from clinrag_core.errors import ClinragError
from clinrag_core.pipeline.pipeline import Pipeline
from clinrag_core.settings import load_settings
from clinrag_dagster.instance import open_instance
from clinrag_dagster.partitions import sync_partitions


def main() -> None:
    """Make the partitions those of the manifest, then become `dg dev`."""
    parser = argparse.ArgumentParser(description="Open the graph in Dagster.")
    parser.add_argument("--port", type=int, default=3000)
    port: int = parser.parse_args().port
    try:
        pipeline = Pipeline(load_settings())
        with open_instance(pipeline.settings) as instance:
            sync_partitions(instance, pipeline)
    except ClinragError as error:
        sys.stderr.write(f"stopped: {error}\n")
        sys.exit(1)
    sys.stderr.write(f"Dagster opens on http://127.0.0.1:{port}\n")
    dg_command = str(Path(sys.executable).with_name("dg"))
    # The webserver has no login: it listens on this machine only.
    os.execv(dg_command, [dg_command, "dev", "--host", "127.0.0.1", "--port", str(port)])  # noqa: S606 - our own tool, fixed arguments


if __name__ == "__main__":
    main()
