"""A server and an agent of a suite's own: free ports, a data folder that goes when the suite is over."""

import json
import random
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from . import material
from .recorder import Recorder

READY_WITHIN = 60.0
ENDED_WITHIN = 20.0


class World:
    """What a suite talks to. `calls` is the address it is given; everything through it is recorded."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._processes: list[tuple[str, subprocess.Popen]] = []
        self.folder = Path(tempfile.mkdtemp(prefix="postern-clients-"))
        self.material = self.folder / "material"
        self.recorder = Recorder()
        self.tcp_ports = _free_ports(32)
        self.api = ""
        self.https = ""
        self.key = ""

    def __enter__(self) -> "World":
        try:
            material.make(self.material)
            self._start_server()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name, process in reversed(self._processes):
            process.terminate()
            try:
                process.wait(ENDED_WITHIN)
            except subprocess.TimeoutExpired:
                print(f"   {name} did not end on SIGTERM and was killed", flush=True)
                process.kill()
                process.wait()
        self.recorder.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def calls(self) -> str:
        """The address of the API as the suite is told it."""
        return self.recorder.url

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, dict]:
        """A call of the kit's own; it is not recorded."""
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

    def start_agent(self, tunnels: dict[str, dict] | None = None) -> None:
        """An agent with these tunnels; or with two, so that the views of them have something to show."""
        here = self.recorder.url.rpartition(":")[2]
        tunnels = tunnels or {
            "site": {"proto": "http", "addr": here},
            "group": {"labels": ["app=clients"], "addr": here},
        }
        status, credential = self.ask("POST", "/credentials", {"description": "the clients' agent"})
        if status != 201:
            raise RuntimeError(f"no credential for the agent: {credential}")
        configuration = {
            "version": "2",
            "authtoken": credential["token"],
            "server_addr": f"localhost:{self.https.rpartition(':')[2]}",
            "root_cas": str(self.folder / "server" / "ca.pem"),
            "web_addr": "127.0.0.1:0",
            "tunnels": tunnels,
        }
        written = self.folder / "agent.yml"
        written.write_text(json.dumps(configuration))
        self._run("postern", "start", "--all", "--config", str(written))
        shown = lambda: self.ask("GET", "/tunnels")[1].get("tunnels", [])
        self._until("the agent's tunnels are shown", lambda: len(shown()) == len(tunnels))

    def logs(self) -> str:
        """The last words of the programs."""
        shown = []
        for name, _ in self._processes:
            lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()[-25:]
            shown += [f"   {name}: {line}" for line in lines]
        return "\n".join(shown)

    def _start_server(self) -> None:
        folder = self.folder / "server"
        self._run(
            "postern-server", "run", "--data-dir", str(folder), "--api-addr", "127.0.0.1:0", "--https-addr",
            "127.0.0.1:0", "--http-addr", "127.0.0.1:0", "--tcp-ports", f"{self.tcp_ports[0]}-{self.tcp_ports[1]}",
            "--base-url", self.calls,
        )
        addresses = folder / "addresses.json"
        self._until("the server writes where it listens", lambda: addresses.is_file())
        written = json.loads(addresses.read_text())
        self.https = written["https"]
        host, _, port = written["api"].rpartition(":")
        self.api = f"http://{host}:{port}"
        self.recorder.upstream = (host, int(port))
        self._until("the server is ready", lambda: _answers(f"{self.api}/healthz"))
        self.key = (folder / "admin.key").read_text().strip()

    def _run(self, program: str, *arguments: str) -> None:
        path = self._programs / program
        if not path.is_file():
            raise RuntimeError(f"{path} is not built: make programs")
        with open(self.folder / f"{program}.log", "wb") as log:
            started = subprocess.Popen([path, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._processes.append((program, started))

    def _until(self, what: str, holds) -> None:
        deadline = time.monotonic() + READY_WITHIN
        while time.monotonic() < deadline:
            for name, process in self._processes:
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended before {what}:\n{self.logs()}")
            if holds():
                return
            time.sleep(0.05)
        raise RuntimeError(f"waited {READY_WITHIN:.0f} seconds in vain until {what}:\n{self.logs()}")


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _free_ports(count: int) -> tuple[int, int]:
    """Ports beside each other, below what the system hands out by itself."""
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
