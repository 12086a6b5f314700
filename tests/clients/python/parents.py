"""Records that others refer to, created on first use so that a failure affects only its kind."""

from functools import cached_property

import ngrok
from given import Module, ref, text


class Parents:
    """Records that stay while the suite runs."""

    def __init__(self, api: ngrok.Client) -> None:
        self._api = api

    @cached_property
    def policy(self) -> str:
        """An IP policy."""
        return self._api.ip_policies.create(description="for other kinds").id

    @cached_property
    def group(self) -> str:
        """A tunnel group backend."""
        return self._api.backends.tunnel_group.create(labels={"app": "clients"}).id

    @cached_property
    def answer(self) -> str:
        """An HTTP response backend."""
        return self._api.backends.http_response.create(body="gone", status_code=410).id

    @cached_property
    def authority(self) -> str:
        """A certificate authority for mutual TLS."""
        return self._api.certificate_authorities.create(ca_pem=text("authority.pem")).id

    @cached_property
    def certificate(self) -> str:
        """A TLS certificate."""
        return self._api.tls_certificates.create(certificate_pem=text("leaf.pem"), private_key_pem=text("leaf.key")).id

    @cached_property
    def ssh_authority(self) -> str:
        """An SSH certificate authority."""
        return self._api.ssh_certificate_authorities.create(description="for certificates").id

    @cached_property
    def https(self) -> str:
        """An HTTPS edge."""
        return self._api.edges.https.create(hostports=["modules.clients.test:443"]).id

    @cached_property
    def route(self) -> str:
        """Its route."""
        return self._api.edges.https_routes.create(edge_id=self.https, match_type="path_prefix", match="/").id

    @cached_property
    def tls(self) -> str:
        """A TLS edge that terminates TLS, as mutual TLS needs it."""
        at_edge = Module(enabled=True, terminate_at="edge")
        return self._api.edges.tls.create(hostports=["tls-modules.clients.test:443"], tls_termination=at_edge).id

    @cached_property
    def tcp(self) -> str:
        """A TCP edge."""
        return self._api.edges.tcp.create().id

    def backend(self) -> dict:
        """The arguments of a backend module."""
        return {"enabled": True, "backend_id": self.group}

    def shown_backend(self) -> dict:
        """The expected result of the module."""
        return {"enabled": True, "backend": ref("/backends/tunnel_group", self.group)}

    def restriction(self) -> dict:
        """The arguments of an IP restriction module; `enabled` defaults to true."""
        return {"ip_policy_ids": [self.policy]}

    def shown_restriction(self) -> dict:
        """The expected result of the module."""
        return {"enabled": True, "ip_policies": [ref("/ip_policies", self.policy)]}

    def mutual_tls(self) -> dict:
        """The arguments of a mutual TLS module."""
        return {"enabled": True, "certificate_authority_ids": [self.authority]}

    def shown_mutual_tls(self) -> dict:
        """The expected result of the module."""
        return {"enabled": True, "certificate_authorities": [ref("/certificate_authorities", self.authority)]}
