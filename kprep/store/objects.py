"""Original bytes, by content address, in the restricted zone: a directory, or a bucket of an S3 server.

The only place that keeps unredacted bytes. Writes are conditional and idempotent: an address names one content.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Protocol

from kprep.core.errors import ConfigError, StoreError, StoreUnavailable
from kprep.core.ids import content_hash


class ObjectStore(Protocol):
    """Bytes by the SHA-256 of their content (64 hex digits)."""

    def put(self, content: bytes) -> str:
        """Address of the content, stored if it was not. Raises: StoreUnavailable, StoreError."""

    def get(self, address: str) -> bytes:
        """Bytes at an address, checked against it. Raises: StoreError when missing or damaged."""

    def exists(self, address: str) -> bool:
        """True when the address is stored."""

    def delete(self, address: str) -> None:
        """Nothing at the address any more, whether or not there was."""


class DirectoryStore:
    """Objects as files below a directory only its owner may enter."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _path(self, address: str) -> Path:
        return self._root / address[:2] / address

    def put(self, content: bytes) -> str:
        address = content_hash(content)
        path = self._path(address)
        if path.exists():
            return address
        try:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
                Path(scratch).replace(path)
            except BaseException:
                Path(scratch).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise StoreUnavailable(f"cannot write to the object store {self._root}: {error.strerror}") from error
        return address

    def get(self, address: str) -> bytes:
        try:
            content = self._path(address).read_bytes()
        except FileNotFoundError as error:
            raise StoreError(f"original {address} is missing from the object store {self._root}") from error
        except OSError as error:
            raise StoreUnavailable(f"cannot read the object store {self._root}: {error.strerror}") from error
        return _checked(address, content)

    def exists(self, address: str) -> bool:
        return self._path(address).exists()

    def delete(self, address: str) -> None:
        self._path(address).unlink(missing_ok=True)


class S3Store:
    """Objects below a prefix of a bucket, written with `If-None-Match: *`."""

    def __init__(self, bucket: str, prefix: str, client: Any) -> None:
        self._bucket, self._prefix, self._client = bucket, prefix.strip("/"), client

    def _key(self, address: str) -> str:
        return "/".join(part for part in (self._prefix, address[:2], address) if part)

    def put(self, content: bytes) -> str:
        from botocore.exceptions import BotoCoreError, ClientError

        address = content_hash(content)
        if self.exists(address):
            return address
        try:
            self._client.put_object(Bucket=self._bucket, Key=self._key(address), Body=content, IfNoneMatch="*")
        except ClientError as error:
            if _status(error) not in (409, 412):  # somebody else wrote the same content meanwhile
                raise _s3_error(error, self._bucket) from error
        except BotoCoreError as error:
            raise StoreUnavailable(f"bucket {self._bucket} is out of reach: {error}") from error
        return address

    def get(self, address: str) -> bytes:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            body = self._client.get_object(Bucket=self._bucket, Key=self._key(address))["Body"].read()
        except ClientError as error:
            if _status(error) == 404:
                raise StoreError(f"original {address} is missing from bucket {self._bucket}") from error
            raise _s3_error(error, self._bucket) from error
        except BotoCoreError as error:
            raise StoreUnavailable(f"bucket {self._bucket} is out of reach: {error}") from error
        return _checked(address, body)

    def exists(self, address: str) -> bool:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self._client.head_object(Bucket=self._bucket, Key=self._key(address))
        except ClientError as error:
            if _status(error) == 404:
                return False
            raise _s3_error(error, self._bucket) from error
        except BotoCoreError as error:
            raise StoreUnavailable(f"bucket {self._bucket} is out of reach: {error}") from error
        return True

    def delete(self, address: str) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self._client.delete_object(Bucket=self._bucket, Key=self._key(address))
        except ClientError as error:
            raise _s3_error(error, self._bucket) from error
        except BotoCoreError as error:
            raise StoreUnavailable(f"bucket {self._bucket} is out of reach: {error}") from error


def open_store(location: str | None, data_dir: Path, endpoint: str | None) -> ObjectStore:
    """Store at `s3://bucket/prefix`, or the restricted directory of the data directory. Raises: ConfigError."""
    if location is None:
        return DirectoryStore(data_dir / "restricted" / "originals")
    if not location.startswith("s3://") or not location.removeprefix("s3://").strip("/"):
        raise ConfigError(f"KPREP_OBJECT_STORE must be s3://bucket/prefix, not {location!r}")
    import boto3
    from botocore.config import Config

    bucket, _, prefix = location.removeprefix("s3://").partition("/")
    config = Config(retries={"mode": "standard", "max_attempts": 4}, connect_timeout=5, read_timeout=60)
    return S3Store(bucket, prefix, boto3.client("s3", endpoint_url=endpoint, config=config))


def _checked(address: str, content: bytes) -> bytes:
    if content_hash(content) != address:
        raise StoreError(f"original {address} is damaged in the object store: its bytes have another hash")
    return content


def _status(error: Any) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _s3_error(error: Any, bucket: str) -> StoreError:
    code = error.response.get("Error", {}).get("Code", "")
    kind = StoreUnavailable if _status(error) >= 500 or _status(error) == 429 else StoreError
    return kind(f"bucket {bucket} refused: {code or _status(error)}")
