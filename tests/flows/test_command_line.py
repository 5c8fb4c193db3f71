"""Whole runs as processes: embedded PostgreSQL, Prefect with and without a server, and no network at all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kprep.store import embedded
from tests.conftest import MakeBase
from tests.fakes.command_line import CommandLine, short_directory
from tests.fakes.pages import FOUR

pytestmark = [pytest.mark.flow, pytest.mark.postgres, pytest.mark.xdist_group("processes")]
AS_OTHERS = () if os.geteuid() == 0 else ("--user", "--map-current-user", "--keep-caps")
ISOLATED = ("unshare", *AS_OTHERS, "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")

HOLD = """
import sys
from pathlib import Path
from kprep.store import embedded
server = embedded.start(Path(sys.argv[1]))
print(server.url, flush=True)
sys.stdin.readline()
server.release()
print("left", flush=True)
"""


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with short_directory() as path:
        yield path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small knowledge base folder."""
    (tmp_path / "docs").mkdir()
    for name, content in FOUR.items():
        (tmp_path / "docs" / name).write_text(content)
    source = "{name: docs, kind: filesystem, path: docs, acl: [staff]}"
    quality = "quality: {thresholds: {short_share: 1.0}}"
    (tmp_path / "kprep.yaml").write_text(f"knowledge_base: small\ntenant: acme\nsources: [{source}]\n{quality}\n")
    return tmp_path


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def check_search(kprep: CommandLine) -> None:
    answer = kprep.json("search", "How high is the travel allowance in Norway?", "--as", "staff")
    assert answer["hits"][0]["document_uri"] == "docs/travel.md"
    assert answer["degraded"] == []


def test_run_and_search_without_any_network(folder: Path, data_dir: Path) -> None:
    if shutil.which("unshare") is None or subprocess.run([*ISOLATED, "true"], check=False).returncode != 0:
        pytest.skip("this system does not let a user make a network namespace")
    outside = [*ISOLATED, sys.executable, "-c", "import socket; socket.create_connection(('192.0.2.1', 80), 2)"]
    assert subprocess.run(outside, check=False, capture_output=True).returncode != 0
    kprep = CommandLine(folder, data_dir, {}, ISOLATED)
    assert kprep.json("run")["status"] == "published"
    check_search(kprep)


@pytest.fixture
def prefect_server(tmp_path: Path) -> Iterator[str]:
    """Address of the API of a Prefect server of its own."""
    port = free_port()
    env = {**os.environ, "PREFECT_HOME": str(tmp_path / "prefect"), "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
    env.pop("PREFECT_API_URL", None)
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
    with (tmp_path / "server.log").open("wb") as log:
        process = subprocess.Popen(command, env=env, stdout=log, stderr=log, start_new_session=True)
    api = f"http://127.0.0.1:{port}/api"
    try:
        deadline = time.monotonic() + 90
        while True:
            try:
                with urllib.request.urlopen(f"{api}/health", timeout=2):
                    break
            except OSError:
                if time.monotonic() > deadline or process.poll() is not None:
                    pytest.fail((tmp_path / "server.log").read_text(errors="replace")[-800:])
                time.sleep(0.3)
        yield api
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def ask(api: str, path: str) -> list[dict[str, object]]:
    request = urllib.request.Request(f"{api}/{path}/filter", b"{}", {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as reply:
        found: list[dict[str, object]] = json.load(reply)
    return found


def test_run_is_recorded_at_a_prefect_server(folder: Path, data_dir: Path, prefect_server: str) -> None:
    kprep = CommandLine(folder, data_dir, {"PREFECT_API_URL": prefect_server})
    assert kprep.json("run")["status"] == "published"
    (run,) = ask(prefect_server, "flow_runs")
    assert run["state_type"] == "COMPLETED"
    assert set(run["parameters"]) == {"knowledge_base", "data_dir", "allow_deletes", "run_id", "only"}  # type: ignore[call-overload]
    tasks = ask(prefect_server, "task_runs")
    assert {str(task["name"]).rsplit("-", 1)[0] for task in tasks} >= {"prepare batch", "index and embed"}
    told = json.dumps([run, *tasks])
    assert not [word for word in ("allowance", "Utrecht", "travel.md", "accident") if word in told]


@pytest.fixture
def hold(data_dir: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts a process that uses the embedded server until it reads a line."""
    started: list[subprocess.Popen[str]] = []

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLD, str(data_dir)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline().startswith("postgresql+psycopg://")
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def leave(process: subprocess.Popen[str]) -> None:
    out, _ = process.communicate("\n", timeout=60)
    assert out == "left\n"


def is_up(data_dir: Path) -> bool:
    return (data_dir / "postgres" / "postmaster.pid").exists()


def test_embedded_server_stops_with_its_last_user(data_dir: Path, hold: Callable[[], subprocess.Popen[str]]) -> None:
    first, second = hold(), hold()
    leave(first)
    assert is_up(data_dir)
    third = hold()
    leave(second)
    assert is_up(data_dir)
    leave(third)
    assert not is_up(data_dir)


def test_killed_user_blocks_nobody(data_dir: Path, hold: Callable[[], subprocess.Popen[str]]) -> None:
    first = hold()
    first.kill()
    first.wait()
    assert is_up(data_dir)
    second = hold()
    leave(second)
    assert not is_up(data_dir)


def test_killed_server_is_started_again(data_dir: Path, hold: Callable[[], subprocess.Popen[str]]) -> None:
    first = hold()
    number = int((data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    os.kill(number, signal.SIGKILL)
    first.kill()
    first.wait()
    time.sleep(0.5)
    leave(hold())
    assert not is_up(data_dir)


def test_number_of_another_process_is_no_server(data_dir: Path) -> None:
    embedded.start(data_dir).release()
    (data_dir / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n{data_dir / 'postgres'}\n1\n5432\n")
    embedded.start(data_dir).release()
    assert not is_up(data_dir)


def test_interrupted_making_of_the_database_is_begun_anew(data_dir: Path) -> None:
    (data_dir / "postgres").mkdir()
    (data_dir / "postgres" / "PG_VERSION").write_text("18\n")
    server = embedded.start(data_dir)
    assert is_up(data_dir)
    server.release()
    server.release()
    assert not is_up(data_dir)


def test_long_path_still_has_a_socket(data_dir: Path) -> None:
    deep = data_dir / ("a-folder-with-a-long-name/" * 5)
    deep.mkdir(parents=True)
    server = embedded.start(deep)
    server.release()
    assert not is_up(deep)


def test_external_database_is_used_the_same(
    folder: Path, data_dir: Path, empty_database: str, make_base: MakeBase
) -> None:
    url = empty_database.replace("postgresql+psycopg://", "postgresql://")
    kprep = CommandLine(folder, data_dir, {"KPREP_DATABASE_URL": url})
    assert kprep.json("run")["status"] == "published"
    check_search(kprep)
    assert not (data_dir / "postgres").exists()


def prefect_servers(data_dir: Path) -> list[int]:
    """Temporary Prefect servers of a data directory that still live."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            command = (process / "cmdline").read_bytes()
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if b"prefect.server" in command and str(data_dir).encode() in environment:
            found.append(int(process.name))
    return found


def started(command: CommandLine, data_dir: Path) -> subprocess.Popen[str]:
    """A run that has woken Prefect."""
    running = subprocess.Popen(
        command.command("run"),
        env=command.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not prefect_servers(data_dir) and time.monotonic() < deadline:
        assert running.poll() is None, running.communicate()
        time.sleep(0.05)
    return running


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_ends_a_run_at_once_and_leaves_nothing(folder: Path, data_dir: Path, number: signal.Signals) -> None:
    for page in range(300):  # work for longer than it takes to look how far the run is
        (folder / "docs" / f"{page}.md").write_text(
            f"# Page {page}\n\n" + f"Pump {page} is checked in week {page}. " * 40
        )
    command = CommandLine(folder, data_dir, {})
    running = started(command, data_dir)
    while command.json("status")["runs"][0]["stage"] == "scan" and running.poll() is None:
        time.sleep(0.1)  # until Prefect, which has its own idea of signals, has begun
    os.killpg(running.pid, number)  # as a terminal and a service manager do it: the run and all it started
    _, said = running.communicate(timeout=60)
    assert running.returncode == 128 + number, said
    assert "stopping" in said
    assert "Traceback" not in said
    assert prefect_servers(data_dir) == []
    assert command.json("status")["runs"][0]["status"] == "stopped"


def test_server_of_a_killed_run_is_ended_by_the_next(folder: Path, data_dir: Path) -> None:
    command = CommandLine(folder, data_dir, {})
    running = started(command, data_dir)
    running.kill()
    running.wait()  # the server it leaves behind still holds its pipes
    for pipe in (running.stdout, running.stderr):
        assert pipe is not None
        pipe.close()
    assert prefect_servers(data_dir)
    assert command.json("run")["status"] == "published"
    assert prefect_servers(data_dir) == []


def test_unreachable_prefect_server_is_named(folder: Path, data_dir: Path) -> None:
    done = CommandLine(folder, data_dir, {"PREFECT_API_URL": "http://127.0.0.1:9/api"})("run")
    assert done.returncode == 1
    assert "PREFECT_API_URL=http://127.0.0.1:9/api" in done.stderr
    assert "unset" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root keeps the database elsewhere")
def test_database_stays_where_it_is_when_a_folder_changes_its_mode(data_dir: Path) -> None:
    inner = data_dir / "closed" / "data"
    inner.mkdir(parents=True)
    inner.parent.chmod(0o700)
    first = embedded.start(inner)
    first.release()
    inner.parent.chmod(0o755)
    again = embedded.start(inner)
    again.release()
    assert again.pgdata == first.pgdata
    shutil.rmtree(first.pgdata.parent)


def test_what_prefects_server_says_at_its_end_stays_off_the_terminal(tmp_path: Path) -> None:
    """Its database driver may write a traceback when it is stopped amid a query."""
    code = (
        "import sys, logging; from pathlib import Path; from flows.environment import prepare\n"
        "prepare(Path(sys.argv[1])); import prefect\n"
        "from prefect.logging.configuration import setup_logging; setup_logging()\n"
        "try: raise RuntimeError('cut off')\n"
        "except RuntimeError: logging.getLogger('sqlalchemy.pool.impl').exception('Exception terminating connection')\n"
        "logging.getLogger('asyncio').error('Task was destroyed'); print('silent')\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "data"], env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("silent\n", "")
