"""Runs one suite against a new world and checks the recorded calls.

    python3 -m kit [--complete SOURCE] [--agent] [--except METHOD:PATH:STATUS]… -- COMMAND…

The command finds POSTERN_API_URL, POSTERN_API_KEY, POSTERN_MATERIAL, POSTERN_TCP_PORTS in its environment.
With --complete it must have seen everything of the contract's table, and called every operation that the server
describes and the client's source has.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from . import contract, known
from .world import World

SUITE_WITHIN = 15 * 60.0
# Clients know no records of these names, or others, so that no client can call them.
OWN_COLLECTIONS = ("/agents", "/alert_rules", "/event_destinations")
METHODS = ("get", "post", "put", "patch", "delete")


def main() -> int:
    """The status of the command, or 1 if calls are missing."""
    asked = _arguments()
    began = time.monotonic()
    with World(Path(os.environ["POSTERN_BIN_DIR"])) as world:
        if asked.agent:
            world.start_agent()
        environment = {
            **os.environ,
            "POSTERN_API_URL": world.api if asked.direct else world.calls,
            "POSTERN_API_KEY": world.key,
            "POSTERN_MATERIAL": str(world.material),
            "POSTERN_TCP_PORTS": "{}-{}".format(*world.tcp_ports),
        }
        try:
            status = subprocess.run(asked.command, env=environment, timeout=SUITE_WITHIN).returncode
        except subprocess.TimeoutExpired:
            print(f"FAIL the suite took longer than {SUITE_WITHIN / 60:.0f} minutes")
            status = 1
        mistakes = _judge(world, asked) if status == 0 else []
        for mistake in mistakes:
            print(f"FAIL {mistake}")
        if status:
            print("   the last calls:")
            for exchange in world.recorder.exchanges[-4:]:
                print(f"   {exchange}")
        if status or mistakes:
            print(world.logs())
        count = len(world.recorder.exchanges)
    calls = "" if asked.direct else f", {count} calls"
    print(f"   {time.monotonic() - began:.1f} s{calls}", flush=True)
    return status or bool(mistakes)


def _judge(world: World, asked: argparse.Namespace) -> list[str]:
    mistakes = [f"the server failed: {exchange}" for exchange in world.recorder.exchanges if exchange.status >= 500]
    if not asked.complete:
        return mistakes
    seen = contract.seen(world.recorder.exchanges)
    required = contract.required(asked.without)
    missed = sorted(required - seen)
    mistakes += [f"never seen: {method} {path} answered with {status}" for method, path, status in missed]
    mistakes += [f"seen after all, so no exception: {one}" for one in sorted(set(asked.without) & seen)]
    return mistakes + _never_called(world, asked, required)


def _never_called(world: World, asked: argparse.Namespace, required: set[contract.Seen]) -> list[str]:
    """Operations that server and client both have, but that no test called."""
    theirs = known.operations(asked.complete)
    asked_for = {(method, contract.bare(path)) for method, path, _ in required}
    strange = {(method, path) for method, path in asked_for if (method, known.blank(path)) not in theirs}
    if strange:
        # The source was not parsed correctly, and would excuse too much.
        return [f"{asked.complete} does not have {method} {path}" for method, path in sorted(strange)]
    status, description = world.ask("GET", "/openapi.json")
    if status != 200:
        return [f"/openapi.json was answered with {status}"]
    described = {
        (method.upper(), path)
        for path, operations in description["paths"].items()
        for method in operations
        if method in METHODS
    }
    excused = {(method, path) for method, path, _ in asked.without}
    excused |= {(method, path) for method, path in described if path.startswith(OWN_COLLECTIONS)}
    calls = {(exchange.method, exchange.path) for exchange in world.recorder.exchanges}
    foreign = {(method, path) for method, path in described if (method, known.blank(path)) not in theirs}
    print(f"   not in this client: {', '.join(f'{method} {path}' for method, path in sorted(foreign))}")
    return [
        f"described in /openapi.json, in the client, and never called: {method} {path}"
        for method, path in sorted(described - foreign - excused)
        if not any(method == called and contract.pattern(path).fullmatch(at) for called, at in calls)
    ]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--complete", type=Path, metavar="SOURCE", help="of the client: nothing of it is left out")
    parser.add_argument("--agent", action="store_true", help="start an agent with two tunnels")
    parser.add_argument("--direct", action="store_true", help="give the server's own address, record nothing")
    parser.add_argument("--except", dest="without", action="append", default=[], type=_seen, help="what it cannot do")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def _seen(text: str) -> contract.Seen:
    method, path, status = text.split(":")
    return method, path, int(status)


if __name__ == "__main__":
    sys.exit(main())
