"""Certificates that sign themselves."""

import subprocess
from pathlib import Path

from tests.needs import need_program


def make_certificate(folder: Path, name: str = "camera.test", address: str = "") -> tuple[Path, Path]:
    """A certificate that signs itself, and its key. address: an IP address that it is for, too."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = [need_program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    command += ["-noenc", "-days", "2", "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(certificate)]
    command += ["-addext", f"subjectAltName=IP:{address}"] if address else []
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return certificate, key
