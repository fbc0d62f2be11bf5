"""`make promote`: accept the newest evaluation as the baseline, through its Dagster job."""

import argparse
import sys

from rich.console import Console

from clinrag_core.errors import ClinragError
from clinrag_core.settings import load_settings
from clinrag_dagster.definitions import build_defs
from clinrag_dagster.defs.release.jobs import PROMOTION_JOB
from clinrag_dagster.instance import open_instance
from clinrag_dagster.runs import execute


def main() -> int:
    """Process entry: 0 when accepted, 1 with the reason when not."""
    parser = argparse.ArgumentParser(description="Accept the newest evaluation as the baseline.")
    parser.add_argument("--author", required=True, help="who decides")
    parser.add_argument("--reason", required=True, help="why it is good enough")
    parser.add_argument(
        "--accept-loss", action="store_true", help="accept that a metric fell or questions are lost"
    )
    given = vars(parser.parse_args())
    console = Console()
    try:
        settings = load_settings()
        with open_instance(settings) as instance:
            config = {"ops": {"accepted_baseline": {"config": given}}}
            execute(build_defs(settings), instance, PROMOTION_JOB, {}, config)
    except ClinragError as error:
        console.print("stopped:", error, style="red", highlight=False, markup=False)
        return 1
    console.print("accepted as the baseline; `make run` now compares with it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
