"""An identity provider made of pysaml2: who asks with a signed request is told that it is ada.

    pysaml2_idp.py FOLDER PORT strong|weak

The folder has `idp.key` and `idp.crt`, and `sp.xml` as soon as requests may come.
"""

import html
import os
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server
from urllib.parse import parse_qs

from saml2 import BINDING_HTTP_POST, BINDING_HTTP_REDIRECT
from saml2.config import IdPConfig
from saml2.metadata import entity_descriptor
from saml2.saml import NAMEID_FORMAT_PERSISTENT, NameID
from saml2.server import Server
from saml2.xmldsig import DIGEST_SHA256, SIG_RSA_SHA256

FOLDER, PORT, STRENGTH = sys.argv[1], int(sys.argv[2]), sys.argv[3]
BASE = f"http://127.0.0.1:{PORT}"
# Without these it signs with SHA-1.
STRONG = {"sign_alg": SIG_RSA_SHA256, "digest_alg": DIGEST_SHA256} if STRENGTH == "strong" else {}


def settings():
    known = f"{FOLDER}/sp.xml"
    return {
        "entityid": f"{BASE}/idp",
        "key_file": f"{FOLDER}/idp.key",
        "cert_file": f"{FOLDER}/idp.crt",
        "xmlsec_binary": os.environ.get("XMLSEC", "/usr/bin/xmlsec1"),
        "metadata": {"local": [known]} if os.path.exists(known) else {},
        "service": {
            "idp": {
                "endpoints": {
                    "single_sign_on_service": [(f"{BASE}/sso", BINDING_HTTP_REDIRECT)],
                    "single_logout_service": [(f"{BASE}/slo", BINDING_HTTP_REDIRECT)],
                },
                "want_authn_requests_signed": True,
                "name_id_format": [NAMEID_FORMAT_PERSISTENT],
            }
        },
    }


def server():
    return Server(config=IdPConfig().load(settings()))


def signed(query, request):
    """A request in an address is signed beside the message; pysaml2 leaves that check to its caller."""
    return {
        "relay_state": query.get("RelayState"),
        "sigalg": query.get("SigAlg"),
        "signature": query.get("Signature"),
    }


def log_in(query):
    idp = server()
    asked = idp.parse_authn_request(query["SAMLRequest"], BINDING_HTTP_REDIRECT, **signed(query, "authn"))
    answered = idp.create_authn_response(
        {"mail": ["ada@example.test"], "displayName": ["The ada"], "groups": ["staff", "it"]},
        userid="ada",
        name_id=NameID(format=NAMEID_FORMAT_PERSISTENT, text="ada@example.test"),
        authn={"class_ref": "urn:oasis:names:tc:SAML:2.0:ac:classes:Password", "authn_auth": BASE},
        sign_assertion=True,
        sign_response=False,
        **STRONG,
        **idp.response_args(asked.message, [BINDING_HTTP_POST]),
    )
    destination = asked.message.assertion_consumer_service_url
    page = idp.apply_binding(BINDING_HTTP_POST, str(answered), destination, query.get("RelayState", ""), response=True)
    return [("Content-Type", "text/html")], page["data"]


def log_out(query):
    idp = server()
    asked = idp.parse_logout_request(query["SAMLRequest"], BINDING_HTTP_REDIRECT, **signed(query, "logout"))
    answered = idp.create_logout_response(asked.message, [BINDING_HTTP_REDIRECT])
    sent = idp.apply_binding(
        BINDING_HTTP_REDIRECT,
        str(answered),
        idp.response_args(asked.message, [BINDING_HTTP_REDIRECT])["destination"],
        query.get("RelayState", ""),
        response=True,
        sign=True,
        sigalg=SIG_RSA_SHA256,
    )
    return sent["headers"], ""


def application(environ, start_response):
    query = {name: values[0] for name, values in parse_qs(environ["QUERY_STRING"]).items()}
    try:
        match environ["PATH_INFO"]:
            case "/metadata":
                headers, body = [("Content-Type", "text/xml")], str(entity_descriptor(IdPConfig().load(settings())))
            case "/sso":
                headers, body = log_in(query)
            case "/slo":
                headers, body = log_out(query)
            case _:
                start_response("404 Not Found", [])
                return [b""]
    except Exception as error:  # What it says is what a failing spec shows.
        start_response("400 Bad Request", [("Content-Type", "text/plain")])
        return [html.escape(f"{type(error).__name__}: {error}").encode()]
    start_response("302 Found" if any(name == "Location" for name, _ in headers) else "200 OK", headers)
    return [body.encode() if isinstance(body, str) else body]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


make_server("127.0.0.1", PORT, application, handler_class=Quiet).serve_forever()
