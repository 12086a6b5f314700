"""A server, an agent and a local service of a run's own: free ports, a data folder that goes when the run is over."""

import http.server
import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

READY_WITHIN = 60.0
ENDED_WITHIN = 60.0
TOP = Path(__file__).resolve().parent.parent.parent
PROGRAMS = Path(os.environ.get("POSTERN_BIN_DIR") or TOP / "target" / "debug")


class Service(http.server.BaseHTTPRequestHandler):
    """The local service: `/` says hello, `/large` says a lot, `/slow` takes its time, POST says how much came."""

    protocol_version = "HTTP/1.1"
    # Head and body in one piece.
    wbufsize = -1

    def do_GET(self) -> None:
        if self.path == "/slow":
            time.sleep(0.05)
        self._say(b"x" * (1 << 20) if self.path == "/large" else b"hello")

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        self._say(str(len(self.rfile.read(length))).encode())

    def _say(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        pass


class Listener(http.server.ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Whoever hangs up in the middle is nothing to talk about here."""


class World:
    """An HTTPS edge under the name `localhost`: `/fixed` is answered by the edge itself, all else by the service."""

    def __init__(self, *flags: str) -> None:
        self._flags = flags
        self._processes: list[tuple[str, subprocess.Popen]] = []
        self.folder = Path(tempfile.mkdtemp(prefix="postern-load-"))

    def __enter__(self) -> "World":
        try:
            self._service = Listener(("127.0.0.1", 0), Service)
            threading.Thread(target=self._service.serve_forever, daemon=True).start()
            self._start_server()
            self._start_agent()
            self._publish()
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
        self._service.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, path: str) -> str:
        return f"https://localhost:{self.https}{path}"

    def number(self, name: str) -> float:
        """A number of `/metrics`; 0 if it is not there yet."""
        with urllib.request.urlopen(f"{self.api}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name} ")), 0.0)

    def until(self, what: str, holds) -> None:
        deadline = time.monotonic() + READY_WITHIN
        while time.monotonic() < deadline:
            for name, process in self._processes:
                if process.poll() is not None:
                    raise RuntimeError(f"{name} ended before {what}:\n{self.logs()}")
            if holds():
                return
            time.sleep(0.05)
        raise RuntimeError(f"waited {READY_WITHIN:.0f} seconds in vain until {what}:\n{self.logs()}")

    def logs(self) -> str:
        """The last words of the programs."""
        shown = []
        for name, _ in self._processes:
            lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()[-25:]
            shown += [f"   {name}: {line}" for line in lines]
        return "\n".join(shown)

    def _start_server(self) -> None:
        folder, first = self.folder / "server", _free_ports(16)
        self._run(
            "postern-server", "run", "--data-dir", str(folder), "--api-addr", "127.0.0.1:0", "--https-addr",
            "127.0.0.1:0", "--http-addr", "127.0.0.1:0", "--tcp-ports", f"{first}-{first + 15}", "--domain",
            "load.test", *self._flags,
        )
        addresses = folder / "addresses.json"
        self.until("the server writes where it listens", addresses.is_file)
        written = json.loads(addresses.read_text())
        self.https = int(written["https"].rpartition(":")[2])
        self.api = f"http://{written['api']}"
        self.until("the server is ready", lambda: _answers(f"{self.api}/healthz"))
        self._key = (folder / "admin.key").read_text().strip()

    def _start_agent(self) -> None:
        configuration = {
            "version": "2",
            "authtoken": self._make("/credentials", {})["token"],
            "server_addr": f"localhost:{self.https}",
            "root_cas": str(self.folder / "server" / "ca.pem"),
            "web_addr": False,
            "tunnels": {
                "load": {"labels": ["app=load"], "addr": str(self._service.server_address[1]), "inspect": False},
            },
        }
        written = self.folder / "agent.yml"
        written.write_text(json.dumps(configuration))
        self._run("postern", "start", "--all", "--config", str(written))
        self.until("the tunnel is up", lambda: self._ask("GET", "/tunnels")["tunnels"])

    def _publish(self) -> None:
        fixed = self._make("/backends/http_response", {"status_code": 200, "body": "hello"})
        group = self._make("/backends/tunnel_group", {"labels": {"app": "load"}})
        edge = self._make("/edges/https", {"hostports": ["localhost:443"]})
        for path, backend in (("/", group), ("/fixed", fixed)):
            route = {"match_type": "path_prefix", "match": path, "backend": {"backend_id": backend["id"]}}
            self._make(f"/edges/https/{edge['id']}/routes", route)

    def _make(self, path: str, body: object) -> dict:
        return self._ask("POST", path, body)

    def _ask(self, method: str, path: str, body: object = None) -> dict:
        request = urllib.request.Request(
            f"{self.api}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._key}", "Service-Version": "2", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            raise RuntimeError(f"{method} {path}: {refused.code} {refused.read().decode()}") from None

    def _run(self, program: str, *arguments: str) -> None:
        path = PROGRAMS / program
        if not path.is_file():
            raise RuntimeError(f"{path} is not built: make programs")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("POSTERN_")}
        with open(self.folder / f"{program}.log", "wb") as log:
            started = subprocess.Popen([path, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment)
        self._processes.append((program, started))


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _free_ports(count: int) -> int:
    """The first of ports beside each other, below what the system hands out by itself."""
    for _ in range(200):
        first = random.randrange(10_000, 32_000 - count)
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first
    raise RuntimeError(f"no {count} free ports beside each other")
