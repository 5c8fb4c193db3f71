"""Passwords that the installation knows, and Office files opened with them."""

from __future__ import annotations

from contextvars import ContextVar
from functools import lru_cache
from io import BytesIO
from typing import Any

from kprep.core.errors import CorruptDocument, EncryptedDocument
from parsers.ole import MAGIC, check_chains

PASSWORDS: ContextVar[tuple[str, ...]] = ContextVar("passwords", default=())
"""Tried, one after the other, on a document that asks for a password."""

_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_MOST_ROUNDS = 1_000_000
"""Of hashing a password; Office asks for a tenth of it."""
_OF_EXCEL = "VelvetSweatshop"
"""With which Excel encrypts workbooks that it opens without asking."""


def refused(uri: str, what: str) -> EncryptedDocument:
    """What to raise for a document that no known password opens; it names none of them."""
    known = len(PASSWORDS.get())
    tried = f"none of the {known} known ones fits" if known else "name it by documents.passwords_env"
    return EncryptedDocument(f"{uri}: {what} needs a password to be opened: {tried}", uri=uri)


def unlocked(content: bytes, uri: str) -> bytes:
    """The zip archive inside an encrypted Office file (.docx, .pptx, .xlsx, .xlsb); anything else as it is.

    Raises: EncryptedDocument (no password of `PASSWORDS` opens it, or it asks for too much work), CorruptDocument."""
    if not content.startswith(MAGIC) or _PACKAGE not in content:
        return content
    check_chains(content, uri)
    return _unlocked(content, uri, PASSWORDS.get())


@lru_cache(maxsize=1)
def _unlocked(content: bytes, uri: str, known: tuple[str, ...]) -> bytes:
    """Kept for the next place of the same file."""
    from msoffcrypto.exceptions import InvalidKeyError

    office = _office_file(content, uri)
    for password in (_OF_EXCEL, *known):
        out = BytesIO()
        try:
            office.load_key(password=password, verify_password=True)
            office.decrypt(out)
        except InvalidKeyError:
            continue
        except Exception as error:  # the library lets whatever goes wrong in its parts through
            raise _damaged(uri) from error
        return out.getvalue()
    raise refused(uri, "the Office file")


def _office_file(content: bytes, uri: str) -> Any:
    from msoffcrypto.exceptions import DecryptionError
    from msoffcrypto.format.ooxml import OOXMLFile

    try:
        office = OOXMLFile(BytesIO(content))
    except DecryptionError as error:
        remedy = "give a copy without a password"
        raise EncryptedDocument(f"{uri}: it is encrypted in a way that is not read: {remedy}", uri=uri) from error
    except Exception as error:  # see above
        raise _damaged(uri) from error
    rounds = office.info.get("spinValue", 0)
    if rounds > _MOST_ROUNDS:
        raise EncryptedDocument(
            f"{uri}: its password is to be hashed {rounds} times, at most {_MOST_ROUNDS} are done: give a copy without "
            "a password",
            uri=uri,
        )
    return office


def _damaged(uri: str) -> CorruptDocument:
    return CorruptDocument(f"{uri}: the encryption of the Office file is damaged", uri=uri)
