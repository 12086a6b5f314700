"""The system under load: a server, an agent, a local service, and an HTTPS edge in front of them."""

import http.server
import os
import sys
import threading
import time
import urllib.request
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(TOP / "tests"))
from running import Running  # noqa: E402

PROGRAMS = Path(os.environ.get("POSTERN_BIN_DIR") or TOP / "target" / "debug")


class Service(http.server.BaseHTTPRequestHandler):
    """The local service: `/` is short, `/large` is 1 MiB, `/slow` is delayed, POST returns the length of the body."""

    protocol_version = "HTTP/1.1"
    # Head and body in one write.
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
        """Ignores clients that disconnect early."""


class World(Running):
    """An HTTPS edge under the name `localhost`: `/fixed` is a response of the edge, all other paths of the service."""

    def __init__(self, *flags: str) -> None:
        super().__init__(PROGRAMS, "load")
        self._flags = flags
        self._service = Listener(("127.0.0.1", 0), Service)

    def begin(self) -> None:
        threading.Thread(target=self._service.serve_forever, daemon=True).start()
        self.start_server("--domain", "load.test", *self._flags)
        service = {"labels": ["app=load"], "addr": str(self._service.server_address[1]), "inspect": False}
        self.start_agent({"load": service}, web_addr=False)
        self._publish()

    def end(self) -> None:
        self._service.shutdown()

    def url(self, path: str) -> str:
        return f"https://localhost:{self.https.rpartition(':')[2]}{path}"

    def number(self, name: str) -> float:
        """A value of `/metrics`; 0 if it does not exist yet."""
        with urllib.request.urlopen(f"{self.api}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name} ")), 0.0)

    def _publish(self) -> None:
        fixed = self.make("/backends/http_response", {"status_code": 200, "body": "hello"})
        group = self.make("/backends/tunnel_group", {"labels": {"app": "load"}})
        edge = self.make("/edges/https", {"hostports": ["localhost:443"]})
        for path, backend in (("/", group), ("/fixed", fixed)):
            route = {"match_type": "path_prefix", "match": path, "backend": {"backend_id": backend["id"]}}
            self.make(f"/edges/https/{edge['id']}/routes", route)
