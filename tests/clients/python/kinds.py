"""The kinds as a table: the arguments for creation and update, and the expected records."""

from collections.abc import Callable
from dataclasses import dataclass

import ngrok
from given import TCP_PORTS, Module, ref, text
from parents import Parents


@dataclass(frozen=True)
class Kind:
    """One kind. All members are functions, because referenced records are created on demand."""

    path: str
    client: object
    make: Callable[[int], dict]
    """The arguments of the nth record."""
    change: Callable[[], dict]
    """The arguments of an update."""
    shows: Callable[[dict], dict] = lambda given: given
    """The expected record for such arguments."""
    once: tuple[str, ...] = ()
    """Members of the first response only."""
    on_update: tuple[str, ...] = ()
    """Arguments that this SDK's update cannot omit."""

    @property
    def name(self) -> str:
        """The name in the report."""
        return self.path.strip("/")


def kinds(api: ngrok.Client) -> list[Kind]:
    """Every kind with five operations."""
    of = Parents(api)
    groups = [_policies(api, of), _backends(api, of), _edges(api, of), _owners(api), _certificates(api, of), _names(api, of)]
    return [kind for group in groups for kind in group]


def _policies(api: ngrok.Client, of: Parents) -> list[Kind]:
    types = ["dashboard", "api", "agent", "endpoints"]
    return [
        Kind("/ip_policies", api.ip_policies, _described, _texts),
        Kind(
            "/ip_policy_rules",
            api.ip_policy_rules,
            lambda n: _described(n, cidr=f"198.51.{n}.0/24", ip_policy_id=of.policy, action=["allow", "deny"][n % 2]),
            lambda: _texts(cidr="2001:db8::/32"),
            lambda given: _shown(given, ip_policy_id=lambda id: {"ip_policy": ref("/ip_policies", id)}),
        ),
        Kind(
            "/ip_restrictions",
            api.ip_restrictions,
            # Not enforced, so that the test is not locked out.
            lambda n: _described(n, type=types[n % 4], ip_policy_ids=[of.policy], enforced=False),
            lambda: _texts(enforced=False, ip_policy_ids=[of.policy]),
            lambda given: _shown(
                given, ip_policy_ids=lambda ids: {"ip_policies": [ref("/ip_policies", id) for id in ids]}
            ),
            on_update=("ip_policy_ids",),
        ),
    ]


def _backends(api: ngrok.Client, of: Parents) -> list[Kind]:
    return [
        Kind(
            "/backends/weighted",
            api.backends.weighted,
            lambda n: _described(n, backends={of.group: n, of.answer: 10000}),
            lambda: _texts(backends={of.answer: 0}),
            on_update=("backends",),
        ),
        Kind(
            "/backends/http_response",
            api.backends.http_response,
            lambda n: _described(n, body=f"number {n}", headers={"X-Number": str(n)}, status_code=503),
            lambda: _texts(body="later", headers={"retry-after": "5"}, status_code=200),
            lambda given: _shown(
                given, headers=lambda headers: {"headers": {name.lower(): value for name, value in headers.items()}}
            ),
        ),
        Kind(
            "/backends/tunnel_group",
            api.backends.tunnel_group,
            lambda n: _described(n, labels={"app": "clients", "number": str(n)}),
            lambda: _texts(labels={"app": "other"}),
            on_update=("labels",),
        ),
        Kind(
            "/backends/failover",
            api.backends.failover,
            lambda n: _described(n, backends=[of.group, of.answer]),
            lambda: _texts(backends=[of.answer]),
            on_update=("backends",),
        ),
        Kind(
            "/backends/static",
            api.backends.static_address,
            lambda n: _described(n, address=f"192.0.2.{n}:8443", tls=Module(enabled=True)),
            lambda: _texts(address="shop.test:80", tls=Module(enabled=False)),
            lambda given: _shown(given, tls=lambda tls: {"tls": tls._props}),
            on_update=("address", "tls"),
        ),
    ]


def _edges(api: ngrok.Client, of: Parents) -> list[Kind]:
    def modules(given: dict) -> dict:
        return _shown(
            given,
            backend=lambda _: {"backend": of.shown_backend()},
            ip_restriction=lambda _: {"ip_restriction": of.shown_restriction()},
            mutual_tls=lambda _: {"mutual_tls": of.shown_mutual_tls()},
            tls_termination=lambda module: {"tls_termination": {"terminate_at": "edge"} | module._props},
        )

    def backend_and_restriction() -> dict:
        return {"backend": Module(**of.backend()), "ip_restriction": Module(**of.restriction())}

    return [
        Kind(
            "/edges/tcp",
            api.edges.tcp,
            lambda n: _described(n, hostports=[f"localhost:{TCP_PORTS[n]}"], **backend_and_restriction()),
            lambda: _texts(hostports=[f"localhost:{TCP_PORTS[9]}"], **backend_and_restriction()),
            modules,
        ),
        Kind(
            "/edges/tls",
            api.edges.tls,
            lambda n: _described(
                n,
                hostports=[f"tls-{n}.clients.test:443"],
                mutual_tls=Module(**of.mutual_tls()),
                tls_termination=Module(enabled=True, terminate_at="edge", min_version="1.3"),
                **backend_and_restriction(),
            ),
            lambda: _texts(
                hostports=["tls-changed.clients.test:443"],
                tls_termination=Module(enabled=True, terminate_at="edge", min_version="1.2"),
            ),
            modules,
        ),
        Kind(
            "/edges/https",
            api.edges.https,
            lambda n: _described(
                n,
                hostports=[f"https-{n}.clients.test:443"],
                mutual_tls=Module(**of.mutual_tls()),
                tls_termination=Module(enabled=True, min_version="1.2"),
            ),
            lambda: _texts(
                hostports=["https-changed.clients.test:443"], tls_termination=Module(enabled=False, min_version="1.3")
            ),
            modules,
        ),
    ]


def _owners(api: ngrok.Client) -> list[Kind]:
    return [
        Kind(
            "/credentials",
            api.credentials,
            lambda n: _described(n, acl=["bind:*.clients.test", "bind:app=*"]),
            lambda: _texts(acl=["bind:1.clients.test"]),
            once=("token",),
        ),
        Kind("/api_keys", api.api_keys, _described, _texts, once=("token",)),
        Kind(
            "/bot_users",
            api.bot_users,
            lambda n: {"name": f"bot {n}", "active": True},
            lambda: {"name": "changed bot", "active": False},
        ),
    ]


def _certificates(api: ngrok.Client, of: Parents) -> list[Kind]:
    def ssh(n: int, **more: object) -> dict:
        key = text("ssh.pub").strip()
        return _described(n, ssh_certificate_authority_id=of.ssh_authority, public_key=key, **more)

    def ssh_shows(given: dict) -> dict:
        # The SDK omits a time as None; its own default is an object that it cannot send.
        shown = {name: value for name, value in given.items() if value is not None}
        return shown | ({"key_type": "ed25519"} if "public_key" in given else {})

    return [
        Kind(
            "/certificate_authorities",
            api.certificate_authorities,
            lambda n: _described(n, ca_pem=text("authority.pem")),
            _texts,
            lambda given: _shown(
                given, ca_pem=lambda pem: {"ca_pem": pem, "subject_common_name": "Clients Test Authority"}
            ),
        ),
        Kind(
            "/tls_certificates",
            api.tls_certificates,
            lambda n: _described(n, certificate_pem=text("leaf.pem"), private_key_pem=text("leaf.key")),
            _texts,
            lambda given: _shown(given, private_key_pem=lambda _: _LEAF),
        ),
        Kind(
            "/ssh_certificate_authorities",
            api.ssh_certificate_authorities,
            lambda n: _described(n, private_key_type=["ed25519", "ecdsa"][n % 2]),
            _texts,
            lambda given: _shown(given, private_key_type=lambda name: {"key_type": name}),
        ),
        Kind(
            "/ssh_host_certificates",
            api.ssh_host_certificates,
            lambda n: ssh(n, principals=[f"{n}.clients.test"], valid_after="2026-01-01T00:00:00Z", valid_until=None),
            _texts,
            ssh_shows,
        ),
        Kind(
            "/ssh_user_certificates",
            api.ssh_user_certificates,
            lambda n: ssh(
                n,
                principals=["deploy"],
                critical_options={"force-command": "uptime"},
                extensions={"permit-pty": ""},
                valid_after=None,
                valid_until="2040-01-01T00:00:00Z",
            ),
            _texts,
            ssh_shows,
        ),
    ]


def _names(api: ngrok.Client, of: Parents) -> list[Kind]:
    return [
        Kind(
            "/reserved_domains",
            api.reserved_domains,
            lambda n: _described(n, domain=f"reserved-{n}.clients.test", resolves_to=[Module(value="here")]),
            lambda: _texts(certificate_id=of.certificate, resolves_to=[Module(value="there")]),
            lambda given: _shown(
                given,
                resolves_to=lambda places: {"resolves_to": [place._props for place in places]},
                certificate_id=lambda id: {"certificate": ref("/tls_certificates", id)},
            ),
            on_update=("resolves_to",),
        ),
        Kind("/reserved_addrs", api.reserved_addrs, _described, _texts),
    ]


_LEAF = {
    "subject_common_name": "shop.test",
    "subject_alternative_names": {"dns_names": ["shop.test", "*.shop.test"], "ips": ["192.0.2.7"]},
    "issued_at": None,
    "private_key_type": "ecdsa",
    "issuer_common_name": "shop.test",
    "subject_organization": "Shop",
    "subject_organizational_unit": "Web",
    "subject_locality": "Uppsala",
    "subject_province": "Uppland",
    "subject_country": "SE",
}


def _described(number: int, **more: object) -> dict:
    return {"description": f"number {number}", "metadata": f'{{"number":{number}}}', **more}


def _texts(**more: object) -> dict:
    return {"description": "changed", "metadata": '{"changed":true}', **more}


def _shown(given: dict, **otherwise: Callable[[object], dict]) -> dict:
    """The arguments, with some replaced by their expected results."""
    shown = {name: value for name, value in given.items() if name not in otherwise}
    for name, said in otherwise.items():
        if name in given:
            shown |= said(given[name])
    return shown
