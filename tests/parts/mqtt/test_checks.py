"""What the doctor says of the MQTT broker."""

import socket
import threading
from pathlib import Path

from tests.daemon import free_port
from vitcam.config.settings import Settings
from vitcam.doctor.check import CheckContext, CheckResult
from vitcam.machine import Machine
from vitcam.parts.mqtt.checks import mqtt
from vitcam.parts.mqtt.settings import MqttSettings


def found(folder: Path, **settings: object) -> CheckResult:
    return mqtt(CheckContext(Settings().with_section("mqtt", MqttSettings(**settings)), Machine({}, folder)))  # type: ignore[arg-type]


def test_without_a_broker_all_is_well(tmp_path: Path) -> None:
    assert found(tmp_path).status == "ok"


def test_a_broker_that_is_not_there_is_named_with_what_to_check(tmp_path: Path) -> None:
    port = free_port()

    result = found(tmp_path, host="127.0.0.1", port=port)

    assert (result.status, f"127.0.0.1:{port}" in result.found, "mqtt.host" in result.fix) == ("fail", True, True)


def test_a_server_that_is_no_broker_is_not_waited_for(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(60)

        def serve() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                connection.recv(1000)
                connection.sendall(b"SSH-2.0-OpenSSH\r\n")
                connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        result = found(tmp_path, host="127.0.0.1", port=listener.getsockname()[1])
        thread.join()

    assert result.status == "fail"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = found(tmp_path, host="127.0.0.1", tls=True, authority=str(tmp_path / "none.pem"))

    assert result.status == "fail"
    assert "none.pem" in result.found
