"""A relay between a client and the server that records every exchange independently of the client."""

import http.client
import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade"}


@dataclass(frozen=True)
class Exchange:
    """One call and its response."""

    method: str
    path: str
    query: str
    sent: bytes
    status: int
    answered: bytes

    def __str__(self) -> str:
        target = f"{self.path}?{self.query}" if self.query else self.path
        return f"{self.method} {target} {_short(self.sent)} -> {self.status} {_short(self.answered)}"


class Recorder:
    """Listens on a free port and forwards everything to `upstream`."""

    def __init__(self) -> None:
        self.upstream: tuple[str, int] | None = None
        self.exchanges: list[Exchange] = []
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def relay(self) -> None:
                recorder._relay(self)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_OPTIONS = do_HEAD = relay

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()

    def _relay(self, call: BaseHTTPRequestHandler) -> None:
        sent = call.rfile.read(int(call.headers.get("content-length") or 0))
        onward = http.client.HTTPConnection(*self.upstream, timeout=60)
        try:
            onward.putrequest(call.command, call.path, skip_host=True, skip_accept_encoding=True)
            for name, value in call.headers.items():
                if name.lower() not in HOP_BY_HOP:
                    onward.putheader(name, value)
            onward.endheaders(sent)
            answer = onward.getresponse()
            answered = answer.read()
        finally:
            onward.close()
        path, _, query = call.path.partition("?")
        self.exchanges.append(Exchange(call.command, path, query, sent, answer.status, answered))
        call.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP | {"content-length"}:
                call.send_header(name, value)
        if answer.status != 204:
            call.send_header("content-length", str(len(answered)))
        call.end_headers()
        call.wfile.write(answered)


def _short(body: bytes) -> str:
    text = body.decode("utf-8", "replace")
    try:
        text = json.dumps(json.loads(text))
    except ValueError:
        pass
    return text if len(text) <= 600 else f"{text[:600]}… ({len(text)} characters)"
