"""Counts what a running program does: instructions and allocations under callgrind, system calls under strace, wake-ups."""

import dataclasses
import pathlib
import re
import shutil
import signal
import subprocess
import time

# The programs and their C libraries use jemalloc, which has a prefix where the system's allocator cannot be replaced.
ALLOCATING = {"malloc", "calloc", "realloc", "mallocx", "rallocx", "memalign", "posix_memalign", "aligned_alloc"}
FREEING = {"free", "sdallocx", "dallocx"}
# The cache of one core that the last level of callgrind's simulation has: 2 MiB of lines of 64 bytes, 16 of a set.
CACHE = ("--cache-sim=yes", "--LL=2097152,16,64")
# One of the system's functions may be known by an internal name.
PREFIX = re.compile(r"^(_rjem_|__libc_|__GI___libc_|__GI_)")


@dataclasses.dataclass(frozen=True)
class Counts:
    """What a program did in some time, or for one unit of work."""

    instructions: float
    allocations: float
    # Allocated and not freed: reallocations are neither.
    kept: float
    # Lines of data that were read or written and not in the simulated cache, if there is one.
    missed: float = 0


class Callgrind:
    """Callgrind around one program, with a simulated cache or without. Counts from one call of `counts` to the next."""

    def __init__(self, folder, cache=()):
        self.cache = cache
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.dumps = 0

    def command(self):
        """The words before the program's own. Nothing is counted before `begin`, so that the start is fast."""
        return [str(pathlib.Path(__file__).parent / "valgrind"), "-q", "--tool=callgrind", "--instr-atstart=no",
                f"--vgdb-prefix={self.folder}/vgdb", f"--callgrind-out-file={self.folder}/profile", *self.cache]

    def begin(self, pid):
        self.pid = pid
        self._tell("instrumentation", "on")

    def counts(self, keep=None):
        """What the program did since the last call, once it is idle. Its profile replaces the file `keep`."""
        wait_idle(self.pid)
        self._tell("dump")
        self.dumps += 1
        profile = self.folder / f"profile.{self.dumps}"
        counts = read_profile(profile)
        if keep:
            shutil.move(profile, keep)
        profile.unlink(missing_ok=True)
        return counts

    def _tell(self, *words):
        subprocess.run(["vgdb", f"--vgdb-prefix={self.folder}/vgdb", f"--pid={self.pid}", "--max-invoke-ms=10", *words],
                       check=True, capture_output=True, timeout=60)


def read_profile(path):
    """The sums of a profile, whose format is described in callgrind's manual."""
    names, called, calls, events, totals = {}, None, {}, [], {}
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith(("fn=", "cfn=")):
                found = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line)
                if found[2]:
                    names[found[1]] = PREFIX.sub("", found[2])
                called = names[found[1]]
            elif line.startswith("calls="):
                calls[called] = calls.get(called, 0) + int(line[6:].split()[0])
            elif line.startswith("events:"):
                events = line.split()[1:]
            elif line.startswith("totals:"):
                totals = dict(zip(events, map(int, line.split()[1:])))
    fresh = sum(calls.get(name, 0) for name in ALLOCATING - {"realloc", "rallocx"})
    freed = sum(calls.get(name, 0) for name in FREEING)
    missed = totals.get("DLmr", 0) + totals.get("DLmw", 0)
    return Counts(totals.get("Ir", 0), sum(calls.get(name, 0) for name in ALLOCATING), fresh - freed, missed)


def wait_idle(pid):
    """Waits until no thread of the program runs or wants to, but for what it does at intervals."""
    end = time.monotonic() + 60
    used = processor_time(pid)
    while time.monotonic() < end:
        time.sleep(0.05)
        before, used = used, processor_time(pid)
        if used - before < 0.002 and not wants_to_run(pid):
            return
    raise SystemExit(f"process {pid} does not come to rest")


def connections_to(port):
    """The number of TCP connections of this machine to a port of its own."""
    lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    ends = [line.split()[2:4] for line in lines]
    return sum(state == "01" and int(peer.rpartition(":")[2], 16) == port for peer, state in ends)


def processor_time(pid):
    """Seconds, to the nanosecond: the clock of /proc/…/stat ticks too slowly."""
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def wants_to_run(pid):
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/stat")
    return any(task.read_text().rpartition(")")[2].split()[0] in "RD" for task in tasks)


def wake_ups(pid):
    """How often the threads of a program have waited for something so far."""
    tasks = pathlib.Path(f"/proc/{pid}/task").glob("*/status")
    return sum(int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", task.read_text(), re.M)[1]) for task in tasks)


class Strace:
    """Counts the system calls of a running program until `calls`."""

    def __init__(self, folder, pid):
        self.summary = pathlib.Path(folder) / f"strace.{pid}"
        self.process = subprocess.Popen(["strace", "-c", "-f", "-o", self.summary, "-p", str(pid)], text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = self.process.stderr.readline()
        if "attached" not in line:
            raise SystemExit(f"strace: {line}")

    def calls(self):
        """Detaches. Returns the number of calls by name, and of all."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=60)
        calls = {}
        for line in self.summary.read_text().splitlines():
            words = line.split()
            if len(words) >= 5 and words[0][0].isdigit():
                calls[words[-1]] = int(words[3])
        return calls
