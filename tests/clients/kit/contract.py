"""The contract as a table: the calls that a complete suite must make."""

import re
from collections.abc import Iterable

from .recorder import Exchange

KINDS = [
    "/ip_restrictions",
    "/ip_policies",
    "/ip_policy_rules",
    "/backends/weighted",
    "/backends/http_response",
    "/edges/tcp",
    "/credentials",
    "/ssh_host_certificates",
    "/tls_certificates",
    # Members that the contract only names.
    "/edges/https",
    "/edges/tls",
    "/backends/tunnel_group",
    "/backends/failover",
    "/backends/static",
    "/certificate_authorities",
    "/ssh_certificate_authorities",
    "/ssh_user_certificates",
    "/api_keys",
    "/bot_users",
    "/reserved_domains",
    "/reserved_addrs",
]
"""Collections with five operations."""

ROUTES = "/edges/https/{edge_id}/routes"
"""A collection without a list: routes are listed in their edge."""

VIEWS = ["/tunnel_sessions", "/tunnels", "/endpoints"]
"""Read-only collections."""

MODULES = [
    f"{ROUTES}/{{id}}/saml",
    f"{ROUTES}/{{id}}/oidc",
    f"{ROUTES}/{{id}}/webhook_verification",
    f"{ROUTES}/{{id}}/oauth",
    f"{ROUTES}/{{id}}/ip_restriction",
    f"{ROUTES}/{{id}}/circuit_breaker",
    f"{ROUTES}/{{id}}/backend",
    "/edges/https/{id}/mutual_tls",
    "/edges/tls/{id}/ip_restriction",
    "/edges/tls/{id}/backend",
    "/edges/tcp/{id}/backend",
    # Beyond the contract's own table.
    f"{ROUTES}/{{id}}/compression",
    f"{ROUTES}/{{id}}/request_headers",
    f"{ROUTES}/{{id}}/response_headers",
    f"{ROUTES}/{{id}}/websocket_tcp_converter",
    f"{ROUTES}/{{id}}/user_agent_filter",
    "/edges/https/{id}/tls_termination",
    "/edges/tls/{id}/mutual_tls",
    "/edges/tls/{id}/tls_termination",
    "/edges/tcp/{id}/ip_restriction",
]
"""Modules of owners."""

PARTS = ["/reserved_domains/{id}/certificate", "/reserved_domains/{id}/certificate_management_policy"]
"""Parts of a record that can be deleted separately."""

COMMANDS = {
    "/tunnel_sessions/{id}/restart": 204,
    "/tunnel_sessions/{id}/stop": 204,
    "/tunnel_sessions/{id}/update": 400,
}
"""Commands to an agent, and their status; no agent can update itself."""

Seen = tuple[str, str, int]
"""Method, path with its parameters named, status."""


def required(without: Iterable[Seen] = ()) -> set[Seen]:
    """All calls of a complete suite. 404 stands for a missing or deleted record."""
    kinds = {
        seen
        for path in KINDS
        for seen in [("GET", f"{path}?before_id", 200), ("GET", path, 200), ("POST", path, 201), *_item(path)]
    }
    views = {
        seen
        for path in VIEWS
        for seen in [("GET", path, 200), ("GET", f"{path}/{{id}}", 200), ("GET", f"{path}/{{id}}", 404)]
    }
    modules = {
        (method, path, status)
        for path in MODULES
        for method, status in [("PUT", 200), ("GET", 200), ("DELETE", 204), ("GET", 404)]
    }
    parts = {("DELETE", path, status) for path in PARTS for status in (204, 404)}
    commands = {("POST", path, status) for path, told in COMMANDS.items() for status in (told, 404)}
    routes = {("POST", ROUTES, 201), *_item(ROUTES)}
    return (kinds | routes | views | modules | parts | commands) - set(without)


def bare(path: str) -> str:
    """The path without its query."""
    return path.partition("?")[0]


def _item(path: str) -> list[Seen]:
    item = f"{path}/{{id}}"
    return [("GET", item, 200), ("PATCH", item, 200), ("DELETE", item, 204), ("GET", item, 404), ("PATCH", item, 404)]


def seen(exchanges: Iterable[Exchange]) -> set[Seen]:
    """These exchanges as rows of the table."""
    found = set()
    for exchange in exchanges:
        path = template(exchange.path)
        found.add((exchange.method, path, exchange.status))
        if "before_id=" in exchange.query:
            found.add((exchange.method, f"{path}?before_id", exchange.status))
    return found


def template(path: str) -> str:
    """The path with parameter names in place of values; an unknown path is unchanged."""
    for known in _TEMPLATES:
        if known[1].fullmatch(path):
            return known[0]
    return path


def pattern(path: str) -> re.Pattern:
    """A pattern for the path with any parameter values."""
    return re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)))


def _templates() -> list[tuple[str, re.Pattern]]:
    items = [path for kind in [*KINDS, *VIEWS, ROUTES] for path in (kind, f"{kind}/{{id}}")]
    return [(path, pattern(path)) for path in [*items, *MODULES, *PARTS, *COMMANDS]]


_TEMPLATES = _templates()
