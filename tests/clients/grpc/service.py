"""The local service: a real gRPC server with one method of each type. Messages are bytes."""

import threading
from concurrent import futures

import grpc

UNLIMITED = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
# The timeout of a method that waits for its client.
WITHIN = 60.0
# The message of a refusal, with characters that gRPC must encode.
REASON = "no such order: 50 % paid, ünknown\nat all"


class Service:
    """Listens on a free port until it is closed."""

    def __init__(self) -> None:
        # Set by the client when it has read the first message of `Pieces`.
        self.first_was_read = threading.Event()
        # Set when the client cancels a call of `Wait`.
        self.given_up = threading.Event()
        self._server = grpc.server(futures.ThreadPoolExecutor(64), options=UNLIMITED)
        self._server.add_generic_rpc_handlers([self._methods()])
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        self._server.start()

    def close(self) -> None:
        self._server.stop(None).wait(WITHIN)

    def _methods(self) -> grpc.GenericRpcHandler:
        return grpc.method_handlers_generic_handler(
            "shop.Orders",
            {
                "Echo": grpc.unary_unary_rpc_method_handler(_echo),
                "Count": grpc.unary_stream_rpc_method_handler(_count),
                "Pieces": grpc.unary_stream_rpc_method_handler(self._pieces),
                "Sum": grpc.stream_unary_rpc_method_handler(_sum),
                "Talk": grpc.stream_stream_rpc_method_handler(_talk),
                "Refuse": grpc.unary_unary_rpc_method_handler(_refuse),
                "Break": grpc.unary_stream_rpc_method_handler(_break),
                "Wait": grpc.unary_stream_rpc_method_handler(self._wait),
            },
        )

    def _pieces(self, message: bytes, _: grpc.ServicerContext):
        """Sends the second message only after the first one was read."""
        yield message
        if not self.first_was_read.wait(WITHIN):
            raise RuntimeError("the first message was not read")
        yield message[::-1]

    def _wait(self, message: bytes, context: grpc.ServicerContext):
        # A call that is cancelled before the library asks for the next message never comes back here.
        over = threading.Event()

        def ended() -> None:
            self.given_up.set()
            over.set()

        context.add_callback(ended)
        yield message
        # Longer than the client waits: the end of this call must not pass for its cancellation.
        over.wait(2 * WITHIN)


def _echo(message: bytes, context: grpc.ServicerContext) -> bytes:
    """Echoes the message, its headers and its trailers."""
    told = [(name, value) for name, value in context.invocation_metadata() if name.startswith("x-")]
    context.send_initial_metadata(told)
    context.set_trailing_metadata([("x-length", str(len(message))), ("x-raw-bin", b"\x00\xff\x80")])
    return message


def _count(message: bytes, _: grpc.ServicerContext):
    for number in range(int(message)):
        yield str(number).encode()


def _sum(messages, _: grpc.ServicerContext) -> bytes:
    return str(sum(int(message) for message in messages)).encode()


def _talk(messages, context: grpc.ServicerContext):
    said = 0
    for message in messages:
        said += 1
        yield message.upper()
    context.set_trailing_metadata([("x-said", str(said))])


def _refuse(_: bytes, context: grpc.ServicerContext) -> bytes:
    """Refuses before any message: only status and trailers."""
    context.set_trailing_metadata([("x-order", "17"), ("x-detail-bin", bytes(range(256)))])
    context.abort(grpc.StatusCode.FAILED_PRECONDITION, REASON)


def _break(message: bytes, context: grpc.ServicerContext):
    """Refuses after some messages."""
    yield message
    yield message
    context.set_trailing_metadata([("x-after", "2")])
    context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, REASON)
