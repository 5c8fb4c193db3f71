"""The restricted zone, by content address: a directory, or a bucket of an S3 server.

The only place that keeps unredacted bytes: originals, and what earlier stages made of them. Writes are
conditional and idempotent: an address names one content.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any, Protocol

from kprep.core.errors import ConfigError, StoreError, StoreUnavailable
from kprep.core.ids import content_hash

BUCKET_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


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
            for folder in (self._root.parent, self._root):  # `mode` does not hold for parents
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            _write(path, content)
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


def _write(path: Path, content: bytes) -> None:
    """The whole file or none. Where the system can, it has no name before it is whole: a kill leaves nothing behind."""
    try:
        _write_nameless(path, content)
    except FileExistsError:
        return  # somebody else wrote the same content meanwhile
    except (AttributeError, OSError):  # not Linux, or a file system that cannot
        _write_named(path, content)


def _write_nameless(path: Path, content: bytes) -> None:
    with os.fdopen(os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o600), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        handles = os.open("/proc/self/fd", os.O_RDONLY)
        try:  # only with a directory's handle does Python have the link followed
            os.link(str(file.fileno()), path, src_dir_fd=handles, follow_symlinks=True)
        finally:
            os.close(handles)


def _write_named(path: Path, content: bytes) -> None:
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
            raise _client_error(error, self._bucket) from error
        return address

    def get(self, address: str) -> bytes:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            body = self._client.get_object(Bucket=self._bucket, Key=self._key(address))["Body"].read()
        except ClientError as error:
            if _status(error) == 404 and _code(error) != "NoSuchBucket":
                raise StoreError(f"original {address} is missing from bucket {self._bucket}") from error
            raise _s3_error(error, self._bucket) from error
        except BotoCoreError as error:
            raise _client_error(error, self._bucket) from error
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
            raise _client_error(error, self._bucket) from error
        return True

    def delete(self, address: str) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            self._client.delete_object(Bucket=self._bucket, Key=self._key(address))
        except ClientError as error:
            raise _s3_error(error, self._bucket) from error
        except BotoCoreError as error:
            raise _client_error(error, self._bucket) from error


def open_store(location: str | None, data_dir: Path, endpoint: str | None, part: str = "") -> ObjectStore:
    """Store at `s3://bucket/prefix`, or the restricted directory of the data directory. Raises: ConfigError.

    `part`: of the restricted zone; "" are the originals.
    """
    if location is None:
        return DirectoryStore(data_dir / "restricted" / (part or "originals"))
    bucket, _, prefix = location.removeprefix("s3://").partition("/")
    if not location.startswith("s3://") or not BUCKET_NAME.fullmatch(bucket):
        raise ConfigError(
            f"KPREP_OBJECT_STORE must be s3://bucket/prefix with a bucket name of 3 to 63 lower-case letters, digits, "
            f"dots and hyphens, not {location!r}"
        )
    import boto3
    from botocore.config import Config

    config = Config(retries={"mode": "standard", "max_attempts": 4}, connect_timeout=5, read_timeout=60)
    prefix = f"{prefix.strip('/')}/{part}" if part else prefix
    return S3Store(bucket, prefix, boto3.client("s3", endpoint_url=endpoint, config=config))


def _checked(address: str, content: bytes) -> bytes:
    if content_hash(content) != address:
        raise StoreError(f"original {address} is damaged in the object store: its bytes have another hash")
    return content


def _status(error: Any) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _code(error: Any) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _s3_error(error: Any, bucket: str) -> StoreError:
    kind = StoreUnavailable if _status(error) >= 500 or _status(error) == 429 else StoreError
    return kind(f"bucket {bucket} refused: {_code(error) or _status(error)}")


def _client_error(error: Any, bucket: str) -> StoreError:
    """What kept the client from asking: missing credentials do not come back by trying again."""
    from botocore.exceptions import NoCredentialsError, PartialCredentialsError

    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return StoreError(f"no credentials for bucket {bucket}: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
    return StoreUnavailable(f"bucket {bucket} is out of reach: {error}")
