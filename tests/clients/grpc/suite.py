"""A real gRPC client and a real gRPC server, with the programs between them: through an agent's tunnel and through an
HTTPS edge. `PYTHONPATH=. python grpc/suite.py`."""

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent import futures
from pathlib import Path

import grpc
from kit.world import World
from service import REASON, UNLIMITED, Service

WITHIN = 60.0
LARGE = 8 << 20
AT_ONCE = 40


class Orders:
    """The client of the service, under one public name."""

    def __init__(self, world: World, name: str) -> None:
        self.name = name
        authority = (world.folder / "server" / "ca.pem").read_bytes()
        options = [*UNLIMITED, ("grpc.ssl_target_name_override", name), ("grpc.default_authority", name)]
        self.channel = grpc.secure_channel(world.https, grpc.ssl_channel_credentials(authority), options=options)
        on = lambda method: f"/shop.Orders/{method}"
        self.echo = self.channel.unary_unary(on("Echo"))
        self.count = self.channel.unary_stream(on("Count"))
        self.pieces = self.channel.unary_stream(on("Pieces"))
        self.sum = self.channel.stream_unary(on("Sum"))
        self.talk = self.channel.stream_stream(on("Talk"))
        self.refuse = self.channel.unary_unary(on("Refuse"))
        self.broken = self.channel.unary_stream(on("Break"))
        self.wait = self.channel.unary_stream(on("Wait"))


def unary(orders: Orders, _: Service) -> None:
    """A message is echoed, with headers and trailers both ways."""
    sent = [("x-caller", "shop"), ("x-key-bin", b"\x01\x02\xfe\x00")]
    answer, call = orders.echo.with_call(b"hello", metadata=sent, timeout=WITHIN)
    _same(answer, b"hello")
    headers = dict(call.initial_metadata())
    _same({name: headers.get(name) for name, _ in sent}, dict(sent))
    _same(headers.get("x-edge"), "here" if orders.name == EDGE else None)
    trailers = dict(call.trailing_metadata())
    _same((trailers["x-length"], trailers["x-raw-bin"]), ("5", b"\x00\xff\x80"))
    _same(call.code(), grpc.StatusCode.OK)
    _same(orders.echo(b"", timeout=WITHIN), b"")


def large_message(orders: Orders, _: Service) -> None:
    """8 MiB are echoed, larger than every window on the path; plain and compressed by gRPC."""
    message = os.urandom(1 << 20) * (LARGE >> 20)
    _same(orders.echo(message, timeout=WITHIN) == message, True)
    _same(orders.echo(message, timeout=WITHIN, compression=grpc.Compression.Gzip) == message, True)


def server_streaming(orders: Orders, service: Service) -> None:
    """Messages arrive in order, each when it is sent and not when the stream ends."""
    _same(list(orders.count(b"2000", timeout=WITHIN)), [str(number).encode() for number in range(2000)])
    service.first_was_read.clear()
    call = orders.pieces(b"first", timeout=WITHIN)
    _same(next(call), b"first")
    service.first_was_read.set()
    _same(list(call), [b"tsrif"])
    _same(call.code(), grpc.StatusCode.OK)


def client_streaming(orders: Orders, _: Service) -> None:
    numbers = range(2000)
    answer = orders.sum((str(number).encode() for number in numbers), timeout=WITHIN)
    _same(answer, str(sum(numbers)).encode())


def bidirectional(orders: Orders, _: Service) -> None:
    """A bidirectional stream in which each message waits for the previous response."""
    heard = threading.Semaphore(1)
    words = [f"word {number}".encode() for number in range(200)]

    def said():
        for word in words:
            if not heard.acquire(timeout=WITHIN):
                return
            yield word

    call = orders.talk(said(), timeout=WITHIN)
    answers = []
    for answer in call:
        answers.append(answer)
        heard.release()
    _same(answers, [word.upper() for word in words])
    _same(dict(call.trailing_metadata())["x-said"], str(len(words)))


def error_status(orders: Orders, _: Service) -> None:
    """An error status with its message and its trailers, before any message and after some."""
    refused = _fails(lambda: orders.refuse(b"17", timeout=WITHIN))
    _same((refused.code(), refused.details()), (grpc.StatusCode.FAILED_PRECONDITION, REASON))
    trailers = dict(refused.trailing_metadata())
    _same((trailers["x-order"], trailers["x-detail-bin"]), ("17", bytes(range(256))))
    call = orders.broken(b"fine", timeout=WITHIN)
    got = []
    broken = _fails(lambda: got.extend(message for message in call))
    _same((broken.code(), broken.details()), (grpc.StatusCode.RESOURCE_EXHAUSTED, REASON))
    _same(dict(broken.trailing_metadata())["x-after"], "2")
    call = orders.broken(b"fine", timeout=WITHIN)
    _same([next(call), next(call)], [b"fine", b"fine"])
    strange = orders.channel.unary_unary("/shop.Orders/Strange")
    _same(_fails(lambda: strange(b"", timeout=WITHIN)).code(), grpc.StatusCode.UNIMPLEMENTED)


def given_up(orders: Orders, service: Service) -> None:
    """Cancellations and expired deadlines reach the service."""
    service.given_up.clear()
    call = orders.wait(b"wait", timeout=WITHIN)
    _same(next(call), b"wait")
    call.cancel()
    _same(service.given_up.wait(WITHIN), True)
    service.given_up.clear()
    call = orders.wait(b"wait", timeout=3.0)
    _same(_fails(lambda: list(call)).code(), grpc.StatusCode.DEADLINE_EXCEEDED)
    _same(service.given_up.wait(WITHIN), True)


def many_at_once(orders: Orders, _: Service) -> None:
    """Calls on one connection are concurrent."""
    together = threading.Barrier(AT_ONCE)

    def one(number: int) -> list[bytes]:
        def said():
            yield b"a"
            # No call continues until all are open.
            together.wait(WITHIN)
            yield str(number).encode()

        return list(orders.talk(said(), timeout=WITHIN))

    with futures.ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(threads.map(one, range(AT_ONCE)))
    _same(answers, [[b"A", str(number).encode()] for number in range(AT_ONCE)])


def unreachable(world: World) -> None:
    """Responses of the edge are gRPC statuses."""
    away = Orders(world, AWAY)
    _same(_fails(lambda: away.echo(b"hello", timeout=WITHIN)).code(), grpc.StatusCode.UNAVAILABLE)
    stranger = Orders(world, "stranger.localhost")
    _same(_fails(lambda: stranger.echo(b"hello", timeout=WITHIN)).code(), grpc.StatusCode.UNIMPLEMENTED)


TUNNEL, EDGE, AWAY = "orders.localhost", "edge.localhost", "away.localhost"
CALLS = [
    unary,
    large_message,
    server_streaming,
    client_streaming,
    bidirectional,
    error_status,
    given_up,
    many_at_once,
]


def main() -> int:
    began, failed, service = time.monotonic(), 0, Service()
    try:
        with World(Path(os.environ["POSTERN_BIN_DIR"])) as world:
            world.start_agent(
                {
                    "named": {"proto": "http", "domain": TUNNEL, "addr": service.port, "app_protocol": "http2"},
                    "group": {"labels": ["app=orders"], "addr": service.port, "app_protocol": "http2"},
                    # A closed port.
                    "away": {"proto": "http", "domain": AWAY, "addr": 1, "app_protocol": "http2"},
                }
            )
            _publish(world)
            for name in (TUNNEL, EDGE):
                orders = Orders(world, name)
                for call in CALLS:
                    failed += _report(f"{call.__name__} through {name}", lambda: call(orders, service))
                orders.channel.close()
            failed += _report("unreachable", lambda: unreachable(world))
            if failed:
                print(world.logs())
    finally:
        service.close()
    print(f"   {time.monotonic() - began:.1f} s", flush=True)
    return 1 if failed else 0


def _publish(world: World) -> None:
    """An edge with modules that change headers and bodies, over the labelled tunnel."""
    group = world.make("/backends/tunnel_group", {"labels": {"app": "orders"}})
    edge = world.make("/edges/https", {"hostports": [f"{EDGE}:443"]})
    route = {
        "match_type": "path_prefix",
        "match": "/shop.Orders",
        "backend": {"backend_id": group["id"]},
        "compression": {"enabled": True},
        "request_headers": {"add": {"x-edge": "here"}},
        "circuit_breaker": {"error_threshold_percentage": 0.9},
    }
    world.make(f"/edges/https/{edge['id']}/routes", route)


def _fails(call: Callable[[], object]) -> grpc.RpcError:
    try:
        answered = call()
    except grpc.RpcError as refused:
        return refused
    raise AssertionError(f"expected a refusal, not {answered!r}")


def _same(seen: object, expected: object) -> None:
    if seen != expected:
        raise AssertionError(f"{seen!r} instead of {expected!r}")


def _report(name: str, check: Callable[[], None]) -> int:
    try:
        check()
    except Exception:
        print(f"   FAIL {name}\n{traceback.format_exc()}", flush=True)
        return 1
    print(f"   ok   {name}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
