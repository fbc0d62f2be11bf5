"""Settings of what meets strangers: parsing, users' documents, the service, the audit trail."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from clinrag_core.settings.section import SettingsSection

EnvironmentName = Annotated[str, Field(pattern=r"^[A-Z_][A-Z0-9_]*$")]
"""Name of an environment variable that holds a secret. Secrets are never settings themselves."""


class ParseLimits(SettingsSection):
    """What parsing one file may take, in a child process."""

    seconds: float = Field(gt=0, description="processor seconds of one file; tenfold on the clock")
    megabytes: int = Field(ge=256, description="MiB of memory of one file")


OF_A_CORPUS = ParseLimits(seconds=300, megabytes=4096)
"""The slowest of the reference corpus takes a tenth of either."""


class UserDocumentSettings(SettingsSection):
    """Limits of the documents users upload."""

    max_bytes: int = Field(20 * 2**20, gt=0, description="bytes of one document")
    max_documents: int = Field(200, ge=1, description="documents of one tenant")
    max_chunks: int = Field(20_000, ge=1, description="chunks of one tenant")
    parse: ParseLimits = ParseLimits(seconds=10, megabytes=1024)
    index_seconds: float = Field(
        300, gt=0, description="processor seconds to cut, encode and index one document"
    )
    waiting: int = Field(4, ge=1, description="uploads and deletions of a tenant at a time")
    workers: int = Field(1, ge=1, description="documents that are indexed at a time")


class ServiceSettings(SettingsSection):
    """Limits of the HTTP service."""

    max_body_bytes: int = Field(64 * 2**10, gt=0, description="bytes of one request body")
    requests_per_minute: int = Field(600, ge=0, description="per tenant or address; 0: no limit")
    failures_per_minute: int = Field(
        60, ge=1, description="requests with a wrong key per address before they get 429"
    )
    hosts: tuple[str, ...] = Field(
        (), description="Host names it answers to, besides loopback; '*': any, behind a proxy"
    )
    origins: tuple[str, ...] = Field(
        (), description="Origins of other web pages that may ask, e.g. https://ehr.example.org"
    )
    metrics_key_env: EnvironmentName = Field(
        "CLINRAG_METRICS_KEY",
        description="name of the environment variable with the key of /metrics; unset: no key",
    )
    header_s: float = Field(10, gt=0, description="seconds to send the headers of a request")
    body_s: float = Field(30, gt=0, description="seconds between two pieces of a body, and in all "
                          "for each MiB")  # fmt: skip
    ask_threads: int = Field(4, ge=1, description="questions answered at a time")
    ask_waiting: int = Field(64, ge=1, description="questions in work or waiting, before 429")
    reload_s: float = Field(5.0, gt=0, description="seconds between checks for a newer release")
    shutdown_s: int = Field(20, ge=0, description="seconds running requests get at the end")


class AuditSettings(SettingsSection):
    """The audit trail of answers."""

    key_env: EnvironmentName = Field(
        "CLINRAG_AUDIT_KEY", description="name of the environment variable that holds its key"
    )
    key_file: Path | None = Field(
        None, description="file of the key without that variable; unset: audit_key under home"
    )
    anchors: Path | None = Field(
        None, description="folder of the daily anchors, best on another machine; "
        "unset: audit_anchors under home"
    )  # fmt: skip
