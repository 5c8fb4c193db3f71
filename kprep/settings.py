"""Settings of an installation, from the environment. Read by entry points only, never at import."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """What belongs to a machine and not to a knowledge base. Every field is an environment variable `KPREP_...`."""

    model_config = SettingsConfigDict(env_prefix="KPREP_", extra="ignore")

    data_dir: Path | None = Field(default=None, description="data directory (default: .kprep beside kprep.yaml)")
    database_url: str | None = Field(default=None, description="PostgreSQL 15+ with pgvector; default: embedded")
    object_store: str | None = Field(default=None, description="s3://bucket/prefix; default: a directory in data_dir")
    s3_endpoint: str | None = Field(default=None, description="endpoint of an S3-compatible server")
    redaction_key: str | None = Field(default=None, description="secret key of the pseudonyms; default: made once")
    workers: int | None = Field(default=None, ge=1, le=256, description="documents prepared at a time")
    document_timeout_s: float = Field(default=120.0, gt=0, description="seconds one document may take")
    document_memory_mb: int = Field(default=4096, ge=256, description="memory one document may take")
    document_size_mb: int = Field(default=256, ge=1, description="largest original accepted")
