"""A bucket of an S3 server: the objects below a prefix.

Listed page by page with their ETags. With `versions` each object is fetched in exactly the version that was listed.
Credentials are those of the AWS environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import Field

from kprep.core.errors import SourceError, SourceUnavailable
from sources.spec import Entry, Listing, Options, SourceRequest, SourceSpec
from sources.tree import Leaf, listing_of


class S3Options(Options):
    """A bucket and where it stands."""

    bucket: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", description="name of the bucket")
    prefix: str = Field(default="", description="only keys that begin with it; it is no part of the URI")
    endpoint: str | None = Field(default=None, description="address of another server than that of AWS")
    region: str | None = Field(default=None, description="region, where the environment names none")
    versions: bool = Field(default=False, description="in a versioned bucket, read each object in the listed version")


def list_entries(request: SourceRequest) -> Listing:
    """Objects below the prefix.

    Raises: SourceError (no such bucket, not allowed, no credentials), SourceUnavailable (out of reach, server error).
    """
    options, client = _options(request), _client(request)
    with _Asking(request):
        leaves = list(_versions(client, options) if options.versions else _objects(client, options))
    return listing_of(request, leaves, lambda leaf: _get(request, client, leaf.location))


def fetch(request: SourceRequest, entry: Entry) -> bytes:
    """Bytes of an object, as listed or not at all. Raises: SourceUnavailable when it has changed or gone meanwhile."""
    return _get(request, _client(request), entry.location)


def _objects(client: Any, options: S3Options) -> Iterator[Leaf]:
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=options.bucket, Prefix=options.prefix):
        yield from _leaves(page.get("Contents", ()), options, "")


def _versions(client: Any, options: S3Options) -> Iterator[Leaf]:
    for page in client.get_paginator("list_object_versions").paginate(Bucket=options.bucket, Prefix=options.prefix):
        yield from _leaves((item for item in page.get("Versions", ()) if item["IsLatest"]), options, "VersionId")


def _leaves(items: Any, options: S3Options, version: str) -> Iterator[Leaf]:
    for item in items:
        path = item["Key"].removeprefix(options.prefix).lstrip("/")
        if not path or path.endswith("/"):
            continue  # what consoles make for an empty folder
        number = item[version] if version else ""
        location = json.dumps([item["Key"], item["ETag"], number])
        token = f"{item['ETag']}-{item['Size']}-{number}"
        yield Leaf(path, location, token, item["Size"], item["LastModified"])


def _get(request: SourceRequest, client: Any, location: str) -> bytes:
    from botocore.exceptions import ClientError

    key, etag, version = json.loads(location)
    wanted = {"VersionId": version} if version else {"IfMatch": etag}
    shown = f"{request.name}/{key}"
    with _Asking(request):
        try:
            body = client.get_object(Bucket=_options(request).bucket, Key=key, **wanted)["Body"]
            content = bytes(body.read(request.size_max + 1))
        except ClientError as error:
            if _status(error) in (404, 412):
                raise SourceUnavailable(
                    f"{shown} changed or vanished while the run read it; the next takes it up"
                ) from error
            if _status(error) == 403:
                raise SourceError(f"{shown} may not be read: give the credentials of kprep s3:GetObject") from error
            raise
    if len(content) > request.size_max:
        raise SourceError(f"{shown} is larger than the listing says")
    return content


class _Asking:
    """Turns what the client raises into errors of a source."""

    def __init__(self, request: SourceRequest) -> None:
        self._request = request

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

        name, bucket = f"source {self._request.name}", _options(self._request).bucket
        if isinstance(error, ClientError):
            code = error.response.get("Error", {}).get("Code", "") or _status(error)
            if _status(error) >= 500 or _status(error) == 429 or code in ("SlowDown", "RequestTimeout"):
                raise SourceUnavailable(f"{name}: bucket {bucket} does not answer ({code})") from error
            remedy = (
                "check its name" if code == "NoSuchBucket" else "check credentials and their right to list and read"
            )
            raise SourceError(f"{name}: bucket {bucket} refuses ({code}): {remedy}") from error
        if isinstance(error, NoCredentialsError | PartialCredentialsError):
            raise SourceError(f"{name}: no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY") from error
        if isinstance(error, BotoCoreError):
            raise SourceUnavailable(f"{name}: bucket {bucket} is out of reach ({type(error).__name__})") from error


def _status(error: Any) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _options(request: SourceRequest) -> S3Options:
    assert isinstance(request.options, S3Options)
    return request.options


def _client(request: SourceRequest) -> Any:
    import boto3
    from botocore.config import Config

    options = _options(request)
    config = Config(retries={"mode": "standard", "max_attempts": 4}, connect_timeout=5, read_timeout=60)
    try:
        return boto3.client("s3", endpoint_url=options.endpoint, region_name=options.region, config=config)
    except ValueError as error:
        raise SourceError(f"source {request.name}: endpoint {options.endpoint!r} is no address") from error


def _describe(request: SourceRequest) -> str:
    options = _options(request)
    return f"s3://{options.bucket}/{options.prefix}"


SOURCE = SourceSpec("s3", 1, S3Options, list_entries, fetch, _describe)
