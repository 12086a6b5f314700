"""Keeps the run from locking itself out, and counts what it did.

The client learns from answers: sooner or later it would delete the key that it calls with, take the rights of that
key's user away, or let an enforced restriction shut everybody out. Those few inputs are turned aside; the operations
are not.
"""

import atexit
import json
import os
import threading
from collections import Counter
from pathlib import Path

import schemathesis

OWN = set(os.environ["POSTERN_OWN_IDS"].split(","))
NOBODY = "0" * 27
COUNTS: dict[str, Counter[str]] = {}
LOCK = threading.Lock()


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    """Aims at a record that is not there instead of the run's own, and at agents instead of the API."""
    id = (case.path_parameters or {}).get("id")
    if id in OWN and case.method in ("PATCH", "DELETE"):
        case.path_parameters["id"] = f"{id.partition('_')[0]}_{NOBODY}"
    if case.path == "/ip_restrictions" and isinstance(case.body, dict) and case.body.get("type") == "api":
        case.body["type"] = "agent"


@schemathesis.hook
def after_call(context, case, response) -> None:
    """Counts calls of each operation by phase and by the first digit of the status."""
    with LOCK:
        count = COUNTS.setdefault(f"{case.method} {case.path}", Counter())
        count[str(case.meta.phase.name) if case.meta else "other"] += 1
        count[f"{response.status_code // 100}xx"] += 1


@atexit.register
def _write() -> None:
    Path(os.environ["POSTERN_COUNTS"]).write_text(json.dumps(COUNTS, indent=1, sort_keys=True))
