"""`theory explore` answers this machine's own page only, and goes when it is told to."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from theory.commands.explore import command
from theory.explorer import server

ROOT = Path(__file__).parents[2]
EXPLORE = [sys.executable, "-c", "from theory.commands.explore import command; command()", "--headless"]


@pytest.fixture(scope="module")
def running():
    process = subprocess.Popen(EXPLORE, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    port = int(re.search(r"http://127\.0\.0\.1:(\d+)", line)[1])
    yield process, port
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


def get(port, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/", headers={name.capitalize(): value for name, value in headers.items()})
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body


def test_it_answers_its_own_page(running):
    _, port = running
    status, body = get(port)
    assert status == 200
    assert "<html" in body
    assert get(port, host=f"localhost:{port}")[0] == 200
    assert get(port, origin=f"http://127.0.0.1:{port}")[0] == 200


def test_it_refuses_other_names_and_other_sites(running):
    _, port = running
    assert get(port, host="evil.example")[0] == 403
    assert get(port, host=f"evil.example:{port}")[0] == 403
    assert get(port, origin="http://evil.example")[0] == 403
    assert get(port, origin="null")[0] == 403


def test_it_does_not_send_the_notebooks_code(running):
    _, port = running
    assert "controls.gamma_slider" not in json.dumps(get(port)[1])


def test_it_listens_on_loopback_only(running):
    _, port = running
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        probe.connect(("192.0.2.1", 9))  # no packet is sent; it only asks which address would be used
        own = probe.getsockname()[0]
    except OSError:
        pytest.skip("this machine has no other address than loopback")
    finally:
        probe.close()
    if own.startswith("127."):
        pytest.skip("this machine has no other address than loopback")
    with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
        socket.create_connection((own, port), timeout=2)


def test_a_port_in_use_is_one_line(running):
    _, port = running
    result = CliRunner().invoke(command, ["--headless", "--port", str(port)])
    assert isinstance(result.exception, OSError)
    assert "cannot listen on 127.0.0.1" in str(result.exception)


def test_a_missing_notebook_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(server, "NOTEBOOK", tmp_path / "none.py")
    with pytest.raises(FileNotFoundError, match="is not beside the package"):
        server.find_notebook()


def test_control_c_ends_it_with_exit_code_0_and_frees_the_port(running):
    process, port = running
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert errors == ""
    server.listen(port).close()
