"""The certificate in force, renewed while clients connect."""

import ssl
import threading
from pathlib import Path

from tests.certificates import make_certificate
from vitcam.web.tls import Certificate, CertificateFiles

RENEWALS = 300


def handshake(context: ssl.SSLContext) -> bytes:
    """Connect to a server with this context, in memory; returns its certificate (DER). Raises ssl.SSLError."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = context.wrap_bio(to_server, to_client, server_side=True)
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    client = trusting.wrap_bio(to_client, to_server)
    for side in (client, server, client, server):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    return client.getpeercert(binary_form=True) or b""


def in_one_file(folder: Path) -> bytes:
    folder.mkdir()
    certificate, key = make_certificate(folder)
    return certificate.read_bytes() + key.read_bytes()


def test_a_client_that_connects_while_the_certificate_is_renewed_is_served(tmp_path: Path) -> None:
    pair = [in_one_file(tmp_path / name) for name in ("old", "new")]
    used = tmp_path / "used.pem"
    used.write_bytes(pair[0])
    certificate = Certificate(CertificateFiles(used, key=None))
    started_with = handshake(certificate.context)

    def renew() -> None:
        for turn in range(1, RENEWALS + 1):
            made = tmp_path / "made.pem"
            made.write_bytes(pair[turn % 2])
            made.replace(used)
            certificate.refresh()

    renewing = threading.Thread(target=renew)
    renewing.start()
    served = {handshake(certificate.context)}
    while renewing.is_alive():
        served.add(handshake(certificate.context))
    renewing.join()

    assert len(served) == 2
    assert handshake(certificate.context) == started_with
