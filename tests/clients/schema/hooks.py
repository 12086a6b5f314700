"""Keeps the run from locking itself out, and counts what it did.

The client learns from answers: sooner or later it would delete the key that it calls with, take the rights of that
key's user away, or let an enforced restriction shut everybody out. Those few inputs are turned aside; the operations
are not. And of the records to delete a third are some that were made.
"""

import atexit
import json
import os
import threading
from collections import Counter
from pathlib import Path

import schemathesis
from schemathesis import GenerationMode

OWN = set(os.environ["POSTERN_OWN_IDS"].split(","))
NOBODY = "0" * 27
COUNTS: dict[str, Counter[str]] = {}
# Path parameters of records that were made, by the path of one record.
MADE: dict[str, list[dict[str, str]]] = {}
# How many deletions lie between two that name such a record.
STRIDE = 3
LOCK = threading.Lock()


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    """Aims at a record that is not there instead of the run's own, and at agents instead of the API."""
    id = (case.path_parameters or {}).get("id")
    if id in OWN and case.method in ("PATCH", "DELETE"):
        case.path_parameters["id"] = f"{id.partition('_')[0]}_{NOBODY}"
    if case.method == "DELETE" and _conforms(case) and sum(_count(case).values()) % STRIDE == 0:
        _aim(case)
    if case.path == "/ip_restrictions" and isinstance(case.body, dict) and case.body.get("type") == "api":
        case.body["type"] = "agent"


@schemathesis.hook
def after_call(context, case, response) -> None:
    """Counts calls of each operation by phase and by the first digit of the status."""
    with LOCK:
        count = _count(case)
        count[str(case.meta.phase.name) if case.meta else "other"] += 1
        count[f"{response.status_code // 100}xx"] += 1
        if case.method == "POST" and response.status_code == 201:
            parameters = {**(case.path_parameters or {}), "id": response.json()["id"]}
            MADE.setdefault(f"{case.path}/{{id}}", []).append(parameters)


def _count(case) -> Counter[str]:
    return COUNTS.setdefault(f"{case.method} {case.path}", Counter())


def _conforms(case) -> bool:
    return bool(case.meta) and case.meta.generation.mode is GenerationMode.POSITIVE


def _aim(case) -> None:
    """At the oldest record that was made; a module's owner is still there afterwards."""
    with LOCK:
        if made := MADE.get(case.path):
            case.path_parameters = dict(made.pop(0))
        elif made := MADE.get(case.path.rpartition("/")[0]):
            case.path_parameters = dict(made[0])


@atexit.register
def _write() -> None:
    Path(os.environ["POSTERN_COUNTS"]).write_text(json.dumps(COUNTS, indent=1, sort_keys=True))
