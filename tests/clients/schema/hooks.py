"""Directs some of the calls at existing records, keeps the run from locking itself out, and counts calls.

Ids that are made up name nothing, so every second call that conforms to the description is aimed at records that the
run has made itself, and is sent certificates that are some. Only a part of the deletions: something is to be left.
Learning from answers would do the same, but not the same in every run, and would find the run's own key sooner or
later.
"""

import atexit
import json
import os
import re
import threading
from collections import Counter
from pathlib import Path

import schemathesis
from schemathesis import GenerationMode

MATERIAL = Path(os.environ["POSTERN_MATERIAL"])
# Values that cannot be generated, by the name of their field.
TEXTS = {
    "ca_pem": "authority.pem",
    "certificate_pem": "leaf.pem",
    "private_key_pem": "leaf.key",
    "public_key": "ssh.pub",
    "idp_metadata": "idp.xml",
}
TEXTS = {name: (MATERIAL / file).read_text().strip() for name, file in TEXTS.items()}
APP = {"client_id": "app", "client_secret": "secret", "scopes": ["read:user", "user:email"]}
# Further members of a valid body; `ipp_` and the like stand for a record of that kind, `#` for a number.
NEEDED = {
    "/alert_rules": {"measure": "requests", "threshold": 7, "subject_id": None, "period": "rolling", "window_minutes": 5}
    | {"minimum_requests": None},
    "/backends/tunnel_group": {"labels": {"app": "schema"}},
    "/edges/https/{edge_id}/routes": {"match_type": "path_prefix", "match": "/#"},
    "/edges/https/{edge_id}/routes/{id}/error_pages": {"pages": {"5xx": "down"}},
    "/edges/https/{edge_id}/routes/{id}/maintenance": {"content_type": "text/plain", "allow": []},
    "/edges/https/{edge_id}/routes/{id}/oauth": {"enabled": False, "provider": {"github": APP}},
    # A route has at most one enabled login.
    "/edges/https/{edge_id}/routes/{id}/oidc": {"enabled": False},
    "/edges/https/{edge_id}/routes/{id}/saml": {"enabled": False},
    "/edges/https/{edge_id}/routes/{id}/redirect": {"rules": [{"to": "/"}]},
    "/edges/https/{edge_id}/routes/{id}/rewrite": {"strip_prefix": "/a", "path": "", "to": "", "add_prefix": "", "host": ""},
    "/edges/tcp/{id}/rate_limit": {"key": "everyone"},
    # Enabled, it needs an edge that terminates TLS.
    "/edges/tls/{id}/mutual_tls": {"enabled": False, "certificate_authority_ids": ["ca_"]},
    "/edges/tls/{id}/rate_limit": {"key": "everyone"},
    # Enabled, the server would connect to what is made up.
    "/event_destinations": {"url": "http://127.0.0.1:9/#", "enabled": False, "kinds": ["*"]},
    "/ip_policy_rules": {"action": "deny", "cidr": "203.0.113.#/32", "ip_policy_id": "ipp_"},
    "/ssh_host_certificates": {"ssh_certificate_authority_id": "sshca_", "principals": ["#.schema.test"]},
    "/ssh_user_certificates": {"ssh_certificate_authority_id": "sshca_", "principals": ["user#"]},
}
AN_ID = re.compile(r"[a-z]+_([0-9A-Za-z]{27})?")
# Records from before the run are only read, because deleting them would end the run.
LOOKED_AT = {"GET"}
# One in this many conforming calls is directed.
STRIDE = {"DELETE": 3}
COUNTS: dict[str, Counter[str]] = {}
# Ids by their prefix, oldest first, with the other parameters of their path.
MADE: dict[str, list[dict[str, str]]] = {}
THERE = json.loads(os.environ["POSTERN_THERE"])
LOCK = threading.Lock()


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    """Directs some of the calls at existing records."""
    with LOCK:
        if _conforms(case) and sum(_count(case).values()) // 2 % STRIDE.get(case.method, 2) == 0:
            _aim(case)


@schemathesis.hook
def after_call(context, case, response) -> None:
    """Counts calls of each operation by phase and by the first digit of the status, and records created ids."""
    with LOCK:
        count = _count(case)
        count[str(case.meta.phase.name) if case.meta else "other"] += 1
        count[f"{response.status_code // 100}xx"] += 1
        if case.method == "POST" and response.status_code == 201:
            id = response.json()["id"]
            MADE.setdefault(_prefix(id), []).append({**(case.path_parameters or {}), "id": id})


def _count(case) -> Counter[str]:
    """Each call is counted twice, by its phase and by its status."""
    return COUNTS.setdefault(f"{case.method} {case.path}", Counter())


def _conforms(case) -> bool:
    return bool(case.meta) and case.meta.generation.mode is GenerationMode.POSITIVE


def _aim(case) -> None:
    parameters = case.path_parameters or {}
    # The innermost record determines the outer ones.
    if (id := parameters.get("id")) and (records := _records(case, _prefix(id))):
        whole = case.method == "DELETE" and case.path.endswith("/{id}")
        record = records.pop(0) if whole else records[-1]
        case.path_parameters = {name: record[name] for name in parameters if name in record}
    elif (id := parameters.get("edge_id")) and (records := _records(case, _prefix(id))):
        case.path_parameters = {**parameters, "edge_id": records[-1]["id"]}
    if isinstance(case.body, dict):
        if needed := NEEDED.get(case.path):
            # Without nested modules, because one invalid module would make the whole body invalid.
            case.body = {name: value for name, value in case.body.items() if not isinstance(value, dict)}
            number = str(sum(_count(case).values()) % 256)
            case.body |= json.loads(json.dumps(needed).replace("#", number))
        case.body = _meant(case.body)
        if "enforced" in case.body:
            # Not enforced, so that the run is not locked out.
            case.body["enforced"] = False


def _records(case, prefix: str) -> list[dict[str, str]]:
    there = [{"id": id} for id in THERE.get(prefix, [])] if case.method in LOOKED_AT else []
    return MADE.get(prefix) or there


def _meant(value: object) -> object:
    """The body with ids of existing records and with valid values."""
    if isinstance(value, list):
        return [_meant(one) for one in value]
    if isinstance(value, dict):
        return {_real(name): TEXTS.get(name) or _meant(inner) for name, inner in value.items()}
    return _real(value) if isinstance(value, str) else value


def _real(text: str) -> str:
    made = MADE.get(_prefix(text)) if AN_ID.fullmatch(text) else None
    return made[-1]["id"] if made else text


def _prefix(id: str) -> str:
    return str(id).partition("_")[0]


@atexit.register
def _write() -> None:
    Path(os.environ["POSTERN_COUNTS"]).write_text(json.dumps(COUNTS, indent=1, sort_keys=True))
