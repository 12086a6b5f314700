"""What is measured for the budgets: a server with an agent, and the work that visitors give them."""

import contextlib
import dataclasses
import subprocess
from collections.abc import Callable

from counting import Callgrind, connections_to, wait_idle
from programs import PROGRAMS
from running import Running  # found through programs
from visitor import MIB, Http1, Http2, Service

# Idle data connections of a new session (tunnel/src/proto/pool_sizing.rs).
MIN_IDLE = 16
PROGRAM = {"server": "postern-server", "agent": "postern"}
BROWSER = (
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/png,image/svg+xml,*/*;q=0.8",
    "Accept-Language: en-GB,en;q=0.7,de;q=0.3",
    "Accept-Encoding: gzip, deflate, br, zstd",
    "Referer: https://plain.localhost/products/garden/wheelbarrows?sort=price&page=3",
    "Cookie: session=0f8d3c5b9a7e4216b0c1d2e3f4a59687; cart=8a7b6c5d4e3f; consent=all; theme=dark; seen=1719840000; "
    "visitor=3f9d1c7e5b2a4860d1e2f3a4b5c6d7e8; experiments=checkout-two-columns.search-by-picture; basket=c2hvcC1iYXNrZXQtMTIzNDU2Nzg5MA; "
    "recently=wheelbarrow-90l.wheelbarrow-120l.garden-hose",
    "Cache-Control: max-age=0",
    "Upgrade-Insecure-Requests: 1",
    "Sec-Fetch-Dest: document",
    "Sec-Fetch-Mode: navigate",
    "Sec-Fetch-Site: same-origin",
    "Sec-Fetch-User: ?1",
    "Priority: u=0, i",
    "DNT: 1",
)


class World(Running):
    """A server, an agent, a local service, and an edge that responds by itself. One of the programs may be watched.

    In the server's flags, `{folder}` is the folder of this run.
    """

    def __init__(self, watched: str = "", flags: tuple[str, ...] = (), cache: tuple[str, ...] = ()) -> None:
        super().__init__(PROGRAMS, "budgets")
        self.watched = PROGRAM.get(watched)
        self.flags = [flag.format(folder=self.folder) for flag in flags]
        self.service = Service()
        self.callgrind = Callgrind(self.folder / "callgrind", cache) if watched else None

    def begin(self) -> None:
        self.start_server("--log-level", "warn", *self.flags)
        tunnel = {"proto": "http", "addr": f"127.0.0.1:{self.service.port}"}
        self.start_agent({name: {**tunnel, "domain": f"{name}.localhost", "inspect": name == "inspected"}
                          for name in ("plain", "inspected")}, web_addr="127.0.0.1:0", log_level="warn")
        backend = self.make("/backends/http_response", {"status_code": 200, "body": "x" * 1024})
        edge = self.make("/edges/https", {"hostports": ["own.localhost:443"]})
        route = {"match_type": "path_prefix", "match": "/", "backend": {"backend_id": backend["id"]}}
        self.make(f"/edges/https/{edge['id']}/routes", route)
        # A request that came earlier would travel on the control connection, and those after it as well.
        self.until("the session has its idle data connections", lambda: connections_to(self.https_port) > MIN_IDLE)
        for pid in self.pids():
            wait_idle(pid)
        if self.callgrind:
            self.callgrind.begin(self.pid(self.watched))

    def end(self) -> None:
        self.service.stop()

    def pids(self) -> list[int]:
        """The process ids of server and agent."""
        return [self.pid(program) for program in PROGRAM.values()]

    def _command(self, program: str) -> list[str]:
        watching = ["env", "TOKIO_WORKER_THREADS=1", *self.callgrind.command()] if program == self.watched else []
        return [*watching, *super()._command(program)]


# === Work ===

# Prepares visitors and yields the function that makes them do their work so many times.
Visit = Callable[[World], contextlib.AbstractContextManager[Callable[[int], None]]]


def requests(host: str, *headers: str) -> Visit:
    @contextlib.contextmanager
    def visit(world: World):
        with contextlib.closing(Http1(world.https_port, f"{host}.localhost")) as visitor:
            yield lambda count: [visitor.ask(headers=headers) for _ in range(count)]
    return visit


@contextlib.contextmanager
def http2_requests(world: World):
    with contextlib.closing(Http2(world.https_port, "plain.localhost")) as visitor:
        yield lambda count: [visitor.ask() for _ in range(count)]


@contextlib.contextmanager
def visitors(world: World):
    def come(count: int) -> None:
        for _ in range(count):
            with contextlib.closing(Http1(world.https_port, "plain.localhost")) as visitor:
                visitor.ask()
    yield come


@contextlib.contextmanager
def staying_visitors(world: World):
    with contextlib.ExitStack() as held:
        def come(count: int) -> None:
            for _ in range(count):
                visitor = held.enter_context(contextlib.closing(Http1(world.https_port, "plain.localhost")))
                visitor.ask()
        yield come


@contextlib.contextmanager
def downloads(world: World):
    with contextlib.closing(Http1(world.https_port, "plain.localhost")) as visitor:
        yield lambda mibs: visitor.ask(f"/{mibs}")


@contextlib.contextmanager
def uploads(world: World):
    with contextlib.closing(Http1(world.https_port, "plain.localhost")) as visitor:
        yield lambda mibs: visitor.ask("/", "POST", body=bytes(mibs * MIB))


def h2load(connections: int, *options: str) -> Visit:
    """Visitors of h2load, many at a time. `options` choose the protocol and how many requests each has open."""
    @contextlib.contextmanager
    def visit(world: World):
        def ask(count: int) -> None:
            command = ["h2load", *options, "-n", str(count), "-c", str(connections), "-t", "1", "--connect-to", world.https,
                       f"https://plain.localhost:{world.https_port}/"]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            if f"status codes: {count} 2xx" not in output:
                raise RuntimeError(f"not every request succeeded:\n{output}")
        yield ask
    return visit


COSTS = ("instructions", "allocations")


@dataclasses.dataclass(frozen=True)
class Work:
    """Something that visitors let server and agent do, `count` times in each round."""

    title: str
    count: int
    visit: Visit
    flags: tuple[str, ...] = ()
    # The figures that have a budget, by program, and by how much they may differ from it. On a busy machine they were within 1 % of
    # each other in five runs, those of a MiB within 2.5 %. Figures that differ more have no budget.
    server: tuple[str, ...] = COSTS
    agent: tuple[str, ...] = COSTS
    tolerance: float = 0.03
    # Seconds until the programs have released what an idle connection does not need.
    rest: float = 0
    involves_agent: bool = True

    def programs(self):
        return ("server", "agent") if self.involves_agent else ("server",)


LOGGED = ("--access-log", "{folder}/access.log")
WORK = {
    "request": Work("request, `Host` only", 100, requests("plain")),
    "browser-request": Work("request of a browser, 15 headers, 900 bytes", 100, requests("plain", *BROWSER)),
    "inspected-request": Work("the same with `inspect: true`", 100, requests("inspected", *BROWSER), server=()),
    "http2-request": Work("request over HTTP/2", 100, http2_requests),
    "visitor": Work("new visitor: TCP, TLS 1.3, one request", 50, visitors, agent=()),
    "staying-visitor": Work("visitor who makes one request and stays", 50, staying_visitors, server=("kept",), agent=(), rest=2),
    "download": Work("MiB down", 8, downloads, server=("instructions",), tolerance=0.06),
    "upload": Work("MiB up", 8, uploads, server=("instructions",), agent=("instructions",), tolerance=0.06),
    "own-response": Work("response of the edge", 100, requests("own"), involves_agent=False),
    "logged-response": Work("the same with the access log", 100, requests("own"), LOGGED, involves_agent=False),
}
