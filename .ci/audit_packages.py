#!/usr/bin/env python3
"""Looks up the installed packages in a database of known vulnerabilities, where it can be reached.

Exits with 1 where a package has one. Without a connection it says so and exits with 0: a build must
not fail because a database is down.
"""

from __future__ import annotations

import json
import subprocess
import sys

COMMAND = ("-m", "pip_audit", "--format", "json", "--progress-spinner", "off", "--timeout", "15")
LIMIT_S = 240
IGNORED: dict[str, str] = {}
"""Identifier of a vulnerability to the reason why it does not concern this project."""


def main() -> int:
    """Run pip-audit and report what it found."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments
            [sys.executable, *COMMAND], capture_output=True, text=True, check=False, timeout=LIMIT_S
        )
        packages = json.loads(done.stdout)["dependencies"]
    except (subprocess.TimeoutExpired, ValueError, KeyError):
        print("pip-audit: skipped, the database of vulnerabilities cannot be reached")  # noqa: T201
        return 0
    found = [
        f"{package['name']} {package['version']}: {one['id']}, fixed in {one['fix_versions']}"
        for package in packages
        for one in package.get("vulns", ())
        if one["id"] not in IGNORED
    ]
    print(f"pip-audit: {len(packages)} packages, {len(found)} known vulnerabilities")  # noqa: T201
    for line in found:
        print(f"  {line}")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
