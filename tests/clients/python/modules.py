"""The modules as a table: the arguments for the SDK, and the expected result."""

from collections.abc import Callable
from dataclasses import dataclass

import ngrok
from given import text
from parents import Parents


@dataclass(frozen=True)
class Pair:
    """A module of an owner. Records that it refers to are created on demand."""

    client: str
    owner: str
    name: str
    ids: Callable[[], tuple[str, ...]]
    given: Callable[[], dict]
    shows: Callable[[], dict]


SESSION = {
    "enabled": True,
    "options_passthrough": True,
    "cookie_prefix": "clients.",
    "inactivity_timeout": 600,
    "maximum_duration": 86400,
}
BREAKER = {
    "enabled": True,
    "tripped_duration": 5,
    "rolling_window": 20,
    "num_buckets": 128,
    "volume_threshold": 7,
    "error_threshold_percentage": 0.25,
}
WEBHOOK = {"enabled": True, "provider": "TWILIO", "secret": "a secret that is echoed"}
HEADERS = {"enabled": True, "add": {"x-seen-by": "clients"}, "remove": ["x-secret"]}
OIDC = {"issuer": "https://idp.test", "client_id": "client", "client_secret": "secret", "scopes": ["openid", "email"]}
GITHUB = {
    "client_id": "own app",
    "client_secret": "own secret",
    "scopes": ["read:user", "user:email", "read:org"],
    "email_addresses": ["ada@clients.test"],
    "email_domains": ["clients.test"],
    "teams": ["acme/web"],
    "organizations": ["acme"],
}
NOT_CHOSEN = dict.fromkeys(["facebook", "microsoft", "google", "linkedin", "gitlab", "twitch", "amazon"])
SAML = {
    "force_authn": True,
    "allow_idp_initiated": False,
    "authorized_groups": ["web", "ops"],
    "nameid_format": "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
}
TERMINATION = {"enabled": True, "terminate_at": "edge", "min_version": "1.2"}


def pairs(api: ngrok.Client) -> list[Pair]:
    """Every module of every owner."""
    of = Parents(api)

    def on_route(name: str, given: Callable[[], dict], shows: Callable[[], dict] | None = None) -> Pair:
        ids = lambda: (of.https, of.route)
        return Pair(f"https_edge_route_{name}", "https_routes", name, ids, given, shows or given)

    def on(owner: str, name: str, given: Callable[[], dict], shows: Callable[[], dict] | None = None) -> Pair:
        return Pair(f"{owner}_edge_{name}", owner, name, lambda: (getattr(of, owner),), given, shows or given)

    oauth = SESSION | {"auth_check_interval": 3600}
    return [
        on_route("backend", of.backend, of.shown_backend),
        on_route("ip_restriction", of.restriction, of.shown_restriction),
        on_route("circuit_breaker", lambda: BREAKER),
        on_route("compression", lambda: {"enabled": True}),
        on_route("request_headers", lambda: HEADERS),
        on_route("response_headers", lambda: HEADERS),
        on_route("webhook_verification", lambda: WEBHOOK),
        on_route("websocket_tcp_converter", lambda: {"enabled": True}),
        on_route("user_agent_filter", lambda: {"enabled": True, "allow": ["^curl/"], "deny": [".*"]}),
        on_route("oidc", lambda: SESSION | OIDC),
        on_route(
            "oauth",
            lambda: oauth | {"provider": {"github": GITHUB}},
            lambda: oauth | {"provider": {"github": GITHUB} | NOT_CHOSEN},
        ),
        on_route("saml", lambda: SESSION | SAML | {"idp_metadata": text("idp.xml")}),
        on("https", "mutual_tls", of.mutual_tls, of.shown_mutual_tls),
        on("https", "tls_termination", lambda: {"min_version": "1.2"}, lambda: TERMINATION),
        on("tls", "backend", of.backend, of.shown_backend),
        on("tls", "ip_restriction", of.restriction, of.shown_restriction),
        on("tls", "mutual_tls", of.mutual_tls, of.shown_mutual_tls),
        # Last of its owner, because mutual TLS needs it.
        on("tls", "tls_termination", lambda: TERMINATION),
        on("tcp", "backend", of.backend, of.shown_backend),
        on("tcp", "ip_restriction", of.restriction, of.shown_restriction),
    ]
