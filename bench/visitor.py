"""A visitor over TLS 1.3 that sends one request at a time, and the local service that responds, in a process of its own."""

import asyncio
import mmap
import os
import re
import select
import signal
import socket
import ssl
import struct
import threading

TIMEOUT = 120
MIB = 1 << 20
PAGE = b"x" * 1024
PARTS_OF_MIB = 4
PART = b"x" * (MIB // PARTS_OF_MIB)

HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1


# === The local service ===


class Service:
    """Responds to GET with 1 KiB, to GET /MIBS with that many MiB, to GET /after/MICROSECONDS later, and to POST when the body has
    arrived.
    """

    def __init__(self):
        listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
        # Shared with the process that responds.
        self._begun = mmap.mmap(-1, 8)
        self.port = listener.getsockname()[1]
        self.process = os.fork()
        if self.process == 0:
            try:
                asyncio.run(_listen(listener, self._begun))
            finally:
                os._exit(0)
        listener.close()

    @property
    def begun(self):
        """Number of responses that were begun."""
        return int.from_bytes(self._begun[:], "little")

    def stop(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


async def _listen(listener, begun):
    server = await asyncio.start_server(lambda reader, writer: _serve(reader, writer, begun), sock=listener)
    await server.serve_forever()


async def _serve(reader, writer, begun):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            unread = content_length(head)
            while unread:
                unread -= len(await reader.read(min(unread, MIB)))
            mibs = re.match(rb"GET /(\d+) ", head)
            parts, part = (int(mibs[1]) * PARTS_OF_MIB, PART) if mibs else (1, PAGE)
            if delay := re.match(rb"GET /after/(\d+) ", head):
                await asyncio.sleep(int(delay[1]) / 1e6)
            begun[:] = (int.from_bytes(begun[:], "little") + 1).to_bytes(8, "little")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % (parts * len(part)) + part)
            for _ in range(parts - 1):
                # A response that is not read costs the service no more than this.
                await writer.drain()
                writer.write(part)
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


def content_length(head):
    found = re.search(rb"\r\ncontent-length: *(\d+)", head, re.IGNORECASE)
    return int(found[1]) if found else 0


# === The visitor ===


def _context(protocol):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.set_alpn_protocols([protocol])
    return context


CONTEXTS = {protocol: _context(protocol) for protocol in ("http/1.1", "h2")}


def connect(port, host, protocol, source=""):
    """A TLS connection without resumption, from this address if one is given. The certificate is not verified."""
    plain = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT, source_address=(source, 0) if source else None)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return CONTEXTS[protocol].wrap_socket(plain, server_hostname=host)


def disconnect(connection):
    """Closes a connection with close_notify, and does not wait for that of the peer."""
    connection.setblocking(False)
    try:
        connection.unwrap()
    except OSError:
        pass
    connection.close()


class Http1:
    """A persistent connection with HTTP/1.1. `statuses` are those that responses may have."""

    def __init__(self, port, host, source="", statuses=(200,)):
        self.host = host
        self.statuses = statuses
        self.connection = connect(port, host, "http/1.1", source)
        self.buffer = memoryview(bytearray(MIB))

    def ask(self, target="/", method="GET", headers=(), body=b""):
        self.send(target, method, headers, body)
        return self.receive()

    def send(self, target="/", method="GET", headers=(), body=b""):
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self.host}", *headers]
        if body:
            lines.append(f"Content-Length: {len(body)}")
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)

    def receive(self):
        """The status of the response."""
        head = b""
        while b"\r\n\r\n" not in head:
            head += self._read()
        head, _, body = head.partition(b"\r\n\r\n")
        status = int(head[9:12])
        if status not in self.statuses:
            raise RuntimeError(f"{self.host}: {head!r}")
        missing = content_length(head) - len(body)
        while missing > 0:
            missing -= len(self._read())
        return status

    def _read(self):
        length = self.connection.recv_into(self.buffer)
        if not length:
            raise RuntimeError(f"{self.host}: the connection was closed within a response")
        return bytes(self.buffer[:length])

    def close(self):
        disconnect(self.connection)


class Http2:
    """A connection with HTTP/2. From the second request on the name is taken from the table (RFC 7541), as browsers do."""

    def __init__(self, port, host, settings=b""):
        self.host = host
        self.stream = -1
        self.connection = connect(port, host, "h2")
        self.received = b""
        self.connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0, settings)
                                + frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 30)))

    def ask(self):
        self.stream += 2
        name = self.host.encode()
        authority = b"\xbe" if self.stream > 1 else b"\x41" + bytes([len(name)]) + name
        # :method GET, :scheme https, :path /
        fields = b"\x82\x87\x84" + authority
        self.connection.sendall(frame(HEADERS, END_HEADERS | END_STREAM, self.stream, fields))
        while not self._ended(*self._frame()):
            pass

    def _ended(self, kind, flags, stream, payload):
        """Whether this frame is the last of the response."""
        if kind in (RST_STREAM, GOAWAY):
            raise RuntimeError(f"{self.host}: no response over HTTP/2: frame {kind} {payload!r}")
        if kind in (SETTINGS, PING) and not flags & ACK:
            self.connection.sendall(frame(kind, ACK, 0, payload if kind == PING else b""))
        return kind in (0, HEADERS) and stream == self.stream and flags & END_STREAM

    def _frame(self):
        while len(self.received) < 9 or len(self.received) < 9 + int.from_bytes(self.received[:3], "big"):
            more = self.connection.recv(65_536)
            if not more:
                raise RuntimeError(f"{self.host}: the connection was closed within a response")
            self.received += more
        end = 9 + int.from_bytes(self.received[:3], "big")
        taken, self.received = self.received[:end], self.received[end:]
        return taken[3], taken[4], int.from_bytes(taken[5:9], "big") & 0x7FFFFFFF, taken[9:]

    def close(self):
        disconnect(self.connection)


class IdleHttp2(Http2):
    """A connection with HTTP/2 that stays after its request: SETTINGS and PING are acknowledged, as clients do."""

    _epoll = None
    _idle = {}

    def ask(self):
        super().ask()
        self.connection.setblocking(False)
        cls = type(self)
        if not cls._epoll:
            cls._epoll = select.epoll()
            threading.Thread(target=cls._acknowledge, daemon=True).start()
        cls._idle[self.connection.fileno()] = self
        cls._epoll.register(self.connection, select.EPOLLIN)

    @classmethod
    def _acknowledge(cls):
        while True:
            for number, _ in cls._epoll.poll():
                visitor = cls._idle.get(number)
                try:
                    while visitor:
                        visitor._ended(*visitor._frame())
                except ssl.SSLWantReadError:
                    pass
                except (OSError, RuntimeError, ValueError):
                    # The connection has ended.
                    visitor._leave(number)

    def _leave(self, number):
        if self._idle.pop(number, None):
            self._epoll.unregister(number)

    def close(self):
        self._leave(self.connection.fileno())
        super().close()


class StalledHttp2(Http2):
    """Requests of 1 MiB over HTTP/2 with a stream window of 0: answers SETTINGS and PING, but takes no byte of a body."""

    # SETTINGS_INITIAL_WINDOW_SIZE 0.
    NO_WINDOW = struct.pack(">HI", 4, 0)

    def __init__(self, port, host, requests):
        super().__init__(port, host, self.NO_WINDOW)
        name = host.encode()
        # :method GET, :scheme https, then :authority and :path as literals (RFC 7541).
        fields = b"\x82\x87\x41" + bytes([len(name)]) + name + b"\x44\x02/1"
        self.connection.sendall(b"".join(frame(HEADERS, END_HEADERS | END_STREAM, 1 + 2 * number, fields) for number in range(requests)))
        self.refused = 0
        self.reader = threading.Thread(target=self._answer, daemon=True)
        self.reader.start()

    def _answer(self):
        try:
            while True:
                kind, flags, stream, payload = self._frame()
                # 0x88: :status 200.
                if kind == RST_STREAM or kind == HEADERS and not payload.startswith(b"\x88"):
                    self.refused += 1
                else:
                    self._ended(kind, flags, stream, payload)
        except (OSError, RuntimeError, ValueError):
            # The connection has ended.
            pass

    def close(self):
        self.connection.shutdown(socket.SHUT_RDWR)
        self.reader.join()
        self.connection.close()


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload
