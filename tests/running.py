"""Runs the programs with free ports and a temporary folder."""

import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

READY_TIMEOUT = 60.0
SHUTDOWN_TIMEOUT = 60.0
TCP_PORTS = 32


class Running:
    """A server and its surroundings. Subclasses start the programs in `begin`."""

    # Nothing is looked up outside this machine.
    without_lookups = ("--dns-resolver", "127.0.0.1:1")

    def __init__(self, programs: Path, name: str) -> None:
        self._programs = programs
        self._processes: list[tuple[str, subprocess.Popen]] = []
        self.folder = Path(tempfile.mkdtemp(prefix=f"postern-{name}-"))
        self.tcp_ports = _free_ports(TCP_PORTS)
        self.api = ""
        self.https = ""
        self.key = ""

    def begin(self) -> None:
        raise NotImplementedError

    def end(self) -> None:
        """Ends everything else after the programs have ended."""

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name, process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(SHUTDOWN_TIMEOUT)
            except subprocess.TimeoutExpired:
                print(f"   {name} did not end on SIGTERM and was killed", flush=True)
                process.kill()
                process.wait()
        self.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start_server(self, *flags: str) -> None:
        """Starts the server and waits until it responds. Sets its addresses and the first key."""
        folder, free = self.folder / "server", "127.0.0.1:0"
        self._run(
            "postern-server", "run", "--data-dir", str(folder), "--api-addr", free, "--https-addr", free,
            "--http-addr", free, "--tcp-ports", "{}-{}".format(*self.tcp_ports),
            *self.without_lookups, *flags,
        )
        addresses = folder / "addresses.json"
        self.until("the server writes its addresses", addresses.is_file)
        written = json.loads(addresses.read_text())
        self.https = written["https"]
        self.api = f"http://{written['api']}"
        self.until("the server is ready", lambda: _answers(f"{self.api}/healthz"))
        self.key = (folder / "admin.key").read_text().strip()

    def start_agent(self, tunnels: dict[str, dict], **settings: object) -> None:
        """Starts an agent with these tunnels and waits until all of them are online."""
        configuration = {
            "version": "2",
            "authtoken": self.make("/credentials", {"description": "the run's agent"})["token"],
            "server_addr": f"localhost:{self.https_port}",
            "root_cas": str(self.folder / "server" / "ca.pem"),
            "tunnels": tunnels,
            **settings,
        }
        written = self.folder / "agent.yml"
        written.write_text(json.dumps(configuration))
        self._run("postern", "start", "--all", "--config", str(written))
        shown = lambda: self.ask("GET", "/tunnels")[1].get("tunnels", [])
        self.until("the agent's tunnels are shown", lambda: len(shown()) == len(tunnels))

    @property
    def https_port(self) -> int:
        """The port of the HTTPS address."""
        return int(self.https.rpartition(":")[2])

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, dict]:
        """Calls the management API."""
        request = urllib.request.Request(
            f"{self.api}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Service-Version": "2", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as refused:
            return refused.code, json.loads(refused.read() or b"{}")

    def make(self, path: str, body: object) -> dict:
        """Creates a record. Raises an error if that fails."""
        status, record = self.ask("POST", path, body)
        if status != 201:
            raise RuntimeError(f"POST {path}: {status} {record}")
        return record

    def until(self, what: str, holds) -> None:
        """Waits for a condition while all programs run."""
        deadline = time.monotonic() + READY_TIMEOUT
        while time.monotonic() < deadline:
            for name, process in self._processes:
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended before {what}:\n{self.logs()}")
            if holds():
                return
            time.sleep(0.05)
        raise RuntimeError(f"not within {READY_TIMEOUT:.0f} seconds: {what}:\n{self.logs()}")

    def logs(self) -> str:
        """The last log lines of the programs."""
        shown = []
        for name, _ in self._processes:
            lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()[-25:]
            shown += [f"   {name}: {line}" for line in lines]
        return "\n".join(shown)

    def pid(self, program: str) -> int:
        """The process id of a program that was started."""
        return next(process.pid for name, process in self._processes if name == program)

    def _command(self, program: str) -> list[str]:
        """How a program is started. Subclasses put another program in front that watches it."""
        return [str(self._programs / program)]

    def _run(self, program: str, *arguments: str) -> None:
        if not (self._programs / program).is_file():
            raise RuntimeError(f"{self._programs / program} is not built: make programs")
        # The variables of the run are not meant for the programs.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("POSTERN_")}
        with open(self.folder / f"{program}.log", "wb") as log:
            started = subprocess.Popen(
                [*self._command(program), *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )
        self._processes.append((program, started))


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _free_ports(count: int) -> tuple[int, int]:
    """The first and the last of ports beside each other, below what the system hands out by itself."""
    for _ in range(200):
        first = random.randrange(10_000, 32_000 - count)
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first, first + count - 1
    raise RuntimeError(f"no {count} free ports beside each other")
