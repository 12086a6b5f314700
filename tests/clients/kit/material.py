"""Keys and certificates for the suites, created by OpenSSL and OpenSSH."""

import subprocess
from pathlib import Path


def make(folder: Path) -> None:
    """Writes an authority, a certificate with its key, an SSH key and an identity provider's metadata."""
    folder.mkdir(parents=True)
    _certificate(folder, "authority", "/CN=Clients Test Authority", "basicConstraints=critical,CA:TRUE",
                 "keyUsage=critical,keyCertSign,cRLSign")
    _certificate(folder, "leaf", "/C=SE/ST=Uppland/L=Uppsala/O=Shop/OU=Web/CN=shop.test",
                 "basicConstraints=critical,CA:FALSE",
                 "subjectAltName=DNS:shop.test,DNS:*.shop.test,IP:192.0.2.7", "keyUsage=critical,digitalSignature",
                 "extendedKeyUsage=serverAuth")
    _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / "ssh")
    pem = (folder / "authority.pem").read_text()
    body = "".join(line for line in pem.splitlines() if not line.startswith("-----"))
    (folder / "idp.xml").write_text(
        '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.test/metadata">'
        '<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">'
        '<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>'
        f"<X509Certificate>{body}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>"
        '<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" '
        'Location="https://idp.test/sso"/></IDPSSODescriptor></EntityDescriptor>'
    )


def _certificate(folder: Path, name: str, subject: str, *extensions: str) -> None:
    added = [word for extension in extensions for word in ("-addext", extension)]
    _run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "30", "-subj", subject, *added, "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem")


def _run(*command: object) -> None:
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    if ended.returncode:
        raise RuntimeError(f"{command[0]} failed: {ended.stderr.strip()}")
