"""A server, agents that are started again and again, and what programs use, for the benchmarks that are Python scripts.

POSTERN_BIN_DIR names the folder of the programs (a release build is meant).
"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import urllib.request

TOP = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = pathlib.Path(os.environ.get("POSTERN_BIN_DIR") or
                        pathlib.Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target")) / "release")
sys.path.append(str(TOP / "tests"))
from running import Running  # noqa: E402

TIMEOUT = 30
ANY_PORT = "127.0.0.1:0"
# Flags of a server whose connections stay as long as they are measured.
PATIENT = ("--idle-timeout", "1h", "--header-timeout", "1h", "--body-timeout", "1h")


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


def allow_many_files():
    """Raises the limit of open files for this process and those that it starts."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def get(url):
    return json.load(urllib.request.urlopen(url, timeout=TIMEOUT))


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


def peak(pid):
    """The largest resident memory so far, in MiB."""
    line = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def processor_seconds(pid):
    """Processor time of a process so far, in seconds."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def show(name, value, unit, limit=""):
    print(f"{name:<66} {value:>9.2f} {unit:<5} {limit}", flush=True)


class Server(Running):
    """A server on a temporary data folder and free ports."""

    def __init__(self, *flags):
        super().__init__(PROGRAMS, "bench")
        self.flags = flags

    def begin(self):
        self.start_server(*self.flags)


class AgentFile:
    """The configuration file of an agent, and its starts."""

    def __init__(self, server, tunnels):
        self.path = server.folder / "postern.yml"
        self.state = pathlib.Path(f"{self.path}.state.json")
        token = server.make("/credentials", {})["token"]
        self.head = ["version: 2", f"authtoken: {token}", f"server_addr: localhost:{server.https_port}",
                     f"root_cas: {server.folder / 'server' / 'ca.pem'}", f"web_addr: {ANY_PORT}"]
        self.write(tunnels)

    def write(self, tunnels):
        """Replaces the tunnels: lines of YAML by name."""
        lines = [*self.head, "tunnels:", *(f"  {name}: {definition}" for name, definition in tunnels.items())]
        fresh = self.path.with_suffix(".new")
        fresh.write_text("\n".join(lines) + "\n")
        fresh.chmod(0o600)
        fresh.rename(self.path)
        self.count = len(tunnels)

    def start(self, *watching):
        """Starts the agent. Returns its process and the address of its local API, which answers already. `watching` are the words
        of a program that watches it."""
        process = start([*watching, PROGRAMS / "postern", "start", "--all", "--config", self.path])

        def listens():
            state = json.loads(self.state.read_text())
            return state["pid"] == process.pid and state["web_addr"]

        web = wait(listens)
        wait(lambda: get(f"http://{web}/api/status"))
        return process, web

    def wait_published(self, web):
        wait(lambda: len(get(f"http://{web}/api/tunnels")["tunnels"]) == self.count)
