"""A HAR file of an agent, validated against a third-party schema and imported again. `PYTHONPATH=. python har/suite.py`."""

import http.client
import http.server
import json
import os
import ssl
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

from kit.world import World

NAME = "har.example.com"
HERE = Path(__file__).resolve().parent


class Service(http.server.BaseHTTPRequestHandler):
    """Echoes the request, and sets a cookie."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(404 if self.path == "/none" else 200)
        self.send_header("Content-Type", self.headers.get("Content-Type", "text/plain"))
        self.send_header("Set-Cookie", "sid=t0ps3cret; HttpOnly")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command != "HEAD" else b"")

    do_GET = do_POST = do_PUT = do_HEAD = answer

    def log_message(self, *_: object) -> None:
        pass


VISITS = [
    ("GET", "/a?q=1&q=%C3%A9&token=t0ps3cret", {"Cookie": "sid=t0ps3cret; theme=dark"}, None),
    ("POST", "/form", {"Content-Type": "application/x-www-form-urlencoded"}, b"a=b&c=%20"),
    ("POST", "/json", {"Content-Type": "application/json"}, '{"text": "grün"}'.encode()),
    ("PUT", "/binary", {"Content-Type": "application/octet-stream"}, bytes(range(256))),
    ("HEAD", "/head", {}, None),
    ("GET", "/none", {"X-Empty": ""}, None),
]


def main() -> int:
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    with World(Path(os.environ["POSTERN_BIN_DIR"])) as world:
        world.start_agent({"site": {"proto": "http", "domain": NAME, "addr": service.server_port}})
        trust = ssl.create_default_context(cafile=str(world.folder / "server" / "ca.pem"))
        host, _, port = world.https.rpartition(":")
        for method, path, headers, body in VISITS:
            raw = http.client.HTTPSConnection(host, int(port), context=_named(trust), timeout=30)
            raw.request(method, path, body, {"Host": NAME, **headers})
            raw.getresponse().read()
            raw.close()
        web = _web(world)
        complete = lambda: len(_get(f"{web}/api/requests/http/summaries?filter=not%20pending:yes")["requests"]) == len(VISITS)
        world.until("all visits are captured", complete)
        hidden = urllib.request.urlopen(f"{web}/api/requests/har", timeout=30).read()
        assert b"t0ps3cret" not in hidden, "secrets are hidden"
        shown = urllib.request.urlopen(f"{web}/api/requests/har?secrets=show", timeout=30).read()
        for name, text in (("hidden", hidden), ("shown", shown)):
            written = world.folder / f"{name}.har"
            written.write_bytes(text)
            subprocess.run(["node", str(HERE / "check.mjs"), str(written)], check=True)
        request = urllib.request.Request(f"{web}/api/requests/http", method="DELETE")
        assert urllib.request.urlopen(request, timeout=30).status == 204
        request = urllib.request.Request(f"{web}/api/requests/har", shown, {"Content-Type": "application/json"})
        assert json.load(urllib.request.urlopen(request, timeout=30)) == {"imported": len(VISITS)}
        again = _get(f"{web}/api/requests/har?secrets=show")
        for before, after in zip(json.loads(shown)["log"]["entries"], again["log"]["entries"], strict=True):
            for half in ("request", "response"):
                same = {name: before[half][name] for name in before[half] if name != "headersSize"}
                assert same == {name: after[half][name] for name in after[half] if name != "headersSize"}, (same, after[half])
    service.shutdown()
    print("   ok   exported, judged, imported, equal")
    return 0


def _named(trust: ssl.SSLContext) -> ssl.SSLContext:
    """Connects by address, with the name in the request and a certificate of the trusted authority."""
    trust.check_hostname = False
    return trust


def _web(world: World) -> str:
    """The address of the agent's local API."""
    for line in (world.folder / "postern.log").read_text().splitlines():
        if "http://127.0.0.1:" in line and "local API" in line:
            return "http://127.0.0.1:" + "".join(c for c in line.split("http://127.0.0.1:")[1] if c.isdigit() or c == " ").split()[0]
    raise RuntimeError(f"the agent does not say where it listens:\n{world.logs()}")


def _get(url: str) -> dict:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
