"""Starts a server and its agents for the benchmarks that are Python scripts, and reads what they use.

POSTERN_BIN_DIR names the folder of the programs (a release build is meant).
"""

import functools
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import time
import urllib.request

TOP = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = pathlib.Path(os.environ.get("POSTERN_BIN_DIR") or
                        pathlib.Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target")) / "release")
TIMEOUT = 30
ANY_PORT = "127.0.0.1:0"


def wait(condition, timeout=TIMEOUT):
    """Waits until the condition returns something true, and returns that."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        try:
            result = condition()
            if result:
                return result
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(0.0005)
    raise SystemExit(f"not there after {timeout} s")


def get(url, headers=None):
    request = urllib.request.Request(url, headers=headers or {})
    return json.load(urllib.request.urlopen(request, timeout=TIMEOUT))


def start(command):
    """Starts a program without any variable of this environment that could configure it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("POSTERN_")}
    return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, env=environment)


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=TIMEOUT)


def memory(pid):
    """Resident memory in MiB: all of it, and the part that is not shared with other programs."""
    fields = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, value = line.split(":")
        fields[name] = int(value.split()[0]) / 1024
    return fields["Rss"], fields["Private_Clean"] + fields["Private_Dirty"]


def processor_seconds(pid):
    """Processor time of a process so far, in seconds."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@functools.cache
def visitor_context(protocol):
    """TLS of visitors that offer one protocol. Certificates are not verified."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    return context


def connect_tls(port, host, protocol):
    """A visitor's TLS connection to a port of the loopback."""
    plain = socket.create_connection(("127.0.0.1", port))
    plain.settimeout(60)
    return visitor_context(protocol).wrap_socket(plain, server_hostname=host)


def show(name, value, unit, limit=""):
    print(f"{name:<66} {value:>9.2f} {unit:<5} {limit}", flush=True)


class Server:
    """A server on a temporary data folder and free ports."""

    def __init__(self, folder, *flags):
        self.data = pathlib.Path(folder) / "server"
        self.process = start([PROGRAMS / "postern-server", "run", "--data-dir", self.data, "--https-addr", ANY_PORT,
                              "--http-addr", ANY_PORT, "--api-addr", ANY_PORT, "--tcp-ports", "23000-23049", *flags])
        self.addresses = wait(lambda: json.loads((self.data / "addresses.json").read_text()))
        self.key = (self.data / "admin.key").read_text().strip()

    def port(self, listener):
        return int(self.addresses[listener].rsplit(":", 1)[1])

    def call(self, method, path, body=None):
        """Calls the management API."""
        request = urllib.request.Request(
            f"http://{self.addresses['api']}{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.key}", "Service-Version": "2", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            content = response.read()
        return json.loads(content) if content else None

    def stop(self):
        stop(self.process)


class AgentFile:
    """The configuration file of an agent, and its starts."""

    def __init__(self, folder, server, tunnels, name="postern"):
        self.path = pathlib.Path(folder) / f"{name}.yml"
        self.state = pathlib.Path(f"{self.path}.state.json")
        token = server.call("POST", "/credentials", {})["token"]
        self.head = ["version: 2", f"authtoken: {token}", f"server_addr: localhost:{server.port('https')}",
                     f"root_cas: {server.data / 'ca.pem'}", f"web_addr: {ANY_PORT}"]
        self.write(tunnels)

    def write(self, tunnels):
        """Replaces the tunnels: lines of YAML by name."""
        lines = [*self.head, "tunnels:", *(f"  {name}: {definition}" for name, definition in tunnels.items())]
        fresh = self.path.with_suffix(".new")
        fresh.write_text("\n".join(lines) + "\n")
        fresh.chmod(0o600)
        fresh.rename(self.path)
        self.count = len(tunnels)

    def start(self):
        """Starts the agent. Returns its process and the address of its local API, which answers already."""
        process = start([PROGRAMS / "postern", "start", "--all", "--config", self.path])

        def listens():
            state = json.loads(self.state.read_text())
            return state["pid"] == process.pid and state["web_addr"]

        web = wait(listens)
        wait(lambda: get(f"http://{web}/api/status"))
        return process, web

    def wait_published(self, web):
        wait(lambda: len(get(f"http://{web}/api/tunnels")["tunnels"]) == self.count)
