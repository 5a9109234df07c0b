"""`theory explore` answers this machine's own page only, and goes when it is told to."""

import asyncio
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner

from theory.commands.explore import command
from theory.explorer import server
from theory.explorer.links import from_query
from theory.problems import InvalidProblem

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


def get(port, path="/", method="GET", body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    headers = {"cookie": f"{server.COOKIE}={server.token()}"} | headers
    connection.request(method, path, body, headers={name.capitalize(): value for name, value in headers.items()})
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


@pytest.mark.parametrize(
    "path",
    [
        "/api/kernel/run",
        "/api/kernel/scratchpad/run",
        "/api/kernel/instantiate",
        "/api/kernel/save",
        "/api/kernel/set_model_value",
        "/api/files/create",
        "/api/home/workspace_files",
        "/api/packages/add",
        "/api/export/html",
        "/auth/login",
    ],
)
def test_no_code_and_no_other_call_is_taken_from_a_page(running, path):
    _, port = running
    body = json.dumps({"cellIds": ["Hbol"], "codes": ["import os"], "code": "import os"})
    assert get(port, path, "POST", body)[0] == 403
    assert get(port, path)[0] == 403


def test_marimo_itself_refuses_to_run_code_in_this_mode():
    """The second wall: without ours, a page's call to run code has no permission."""
    built = server.application(server.PAGE, 1).app
    body = json.dumps({"cellIds": ["Hbol"], "codes": ["1"], "code": "1"}).encode()
    statuses = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    headers = [(b"host", b"127.0.0.1:1"), (b"content-type", b"application/json")]
    for path in ("/api/kernel/run", "/api/kernel/scratchpad/run"):
        scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "headers": headers}
        scope |= {"query_string": b"", "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 1)}
        # In a thread of its own: a browser of other tests may keep this one's loop running.
        with ThreadPoolExecutor(1) as beside:
            beside.submit(lambda scope=scope: asyncio.run(built(scope, receive, send))).result()
    assert len(statuses) == 2
    assert set(statuses) <= {401, 403}


def test_a_call_has_a_limited_size(running):
    _, port = running
    call = "/api/kernel/set_ui_element_value"
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.putrequest("POST", call)
    connection.putheader("Cookie", f"{server.COOKIE}={server.token()}")
    connection.putheader("Content-Length", str(server.MAX_BODY + 1))
    connection.endheaders()
    assert connection.getresponse().status == 403
    connection.close()
    assert get(port, call, "POST", iter([b"{}"]))[0] == 403  # of unknown length


@pytest.mark.parametrize("cookie", ["", "theory-explorer=guess", "other=1; theory-explorer=", "theory-explorer"])
@pytest.mark.parametrize("path", ["/", "/?token=guess", "/?token=", "/api/kernel/function_call", "/favicon.ico"])
def test_who_does_not_know_the_token_gets_nothing(running, path, cookie):
    _, port = running
    status, body = get(port, path, cookie=cookie)
    assert status == 403
    assert server.token() not in body


def test_the_printed_address_admits_a_browser_and_leaves_the_address_without_the_token(running):
    _, port = running
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", f"/?problem=twostate&gamma=1%2F2&token={server.token()}")
    response = connection.getresponse()
    response.read()
    assert (response.status, response.headers["Location"]) == (303, "/?problem=twostate&gamma=1/2")
    cookie = response.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Lax"} <= {part.strip() for part in cookie.split(";")}
    connection.request("GET", "/?problem=twostate", headers={"Cookie": cookie.partition(";")[0]})
    assert connection.getresponse().status == 200
    connection.close()


def test_the_socket_wants_the_token_too(running):
    _, port = running
    for cookie, status in ((b"", b"403"), (f"{server.COOKIE}={server.token()}".encode(), b"101")):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            head = b"GET /ws?session_id=s_abc123 HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % port
            head += b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            connection.sendall(head + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nCookie: " + cookie + b"\r\n\r\n")
            assert connection.recv(100).split()[1] == status


def test_the_token_is_kept_where_nobody_else_can_read_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    server.token.cache_clear()
    first = server.token()
    server.token.cache_clear()
    assert server.token() == first
    assert [path.stat().st_mode & 0o777 for path in tmp_path.rglob("explorer-token")] == [0o600]
    server.token.cache_clear()
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    assert len(server.token()) == len(first)  # of this process
    server.token.cache_clear()


@pytest.mark.parametrize(
    ("arguments", "query"),
    [
        (["twostate"], "problem=twostate&"),
        (["kolter:p=3/5"], "problem=kolter:p%3D3/5&"),
        (["baird", "--gamma", "1/2"], "problem=baird:gamma%3D1/2&gamma=1/2&"),
        (["gymnasium:FrozenLake-v1,features=aggregated,groups=4"], "data="),
    ],
)
def test_a_problem_named_on_the_command_line_is_opened(arguments, query):
    process = subprocess.Popen(
        [*EXPLORE, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    line = process.stdout.readline()
    process.kill()
    process.communicate()
    assert f"/?{query}" in line
    assert from_query(parse_qs(urlsplit(line.split()[-1]).query)).problem.n_states > 0


def test_what_a_page_cannot_show_is_refused_before_it_listens():
    result = CliRunner().invoke(command, ["--headless", "random:states=100,features=3"])
    assert "the explorer shows states from 1 to 64" in str(result.exception)


def test_the_terminal_is_closed(running):
    assert not server.is_needed({"type": "websocket", "path": "/terminal/ws", "headers": []})
    assert server.is_needed({"type": "websocket", "path": "/ws", "headers": []})


def test_two_run_at_once_on_ports_of_their_own(running):
    _, port = running
    second = subprocess.Popen(EXPLORE, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    other = int(re.search(r"http://127\.0\.0\.1:(\d+)", second.stdout.readline())[1])
    assert other != port
    assert get(other)[0] == get(port)[0] == 200
    second.send_signal(signal.SIGINT)
    _, errors = second.communicate(timeout=30)
    assert (second.returncode, errors) == (0, "")


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


@pytest.mark.parametrize("dest", ["iframe", "frame", "embed", "object"])
def test_no_other_page_may_show_it_in_a_frame(running, dest):
    _, port = running
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/", headers={"Cookie": f"{server.COOKIE}={server.token()}"})
    headers = connection.getresponse().headers
    connection.close()
    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert get(port, **{"sec-fetch-dest": dest})[0] == 403


def test_a_body_without_a_length_is_refused(running):
    _, port = running
    call = {"type": "http", "method": "POST", "path": "/api/kernel/function_call"}
    chunked = [(b"content-length", b"1"), (b"transfer-encoding", b"chunked")]
    assert server.is_needed({**call, "headers": chunked[:1]})
    assert not server.is_needed({**call, "headers": chunked})
    assert get(port, "/api/kernel/function_call", "POST", iter([b"x" * 100]))[0] == 403


def test_files_by_name_are_given_to_an_open_page_only(running):
    _, port = running
    assert get(port, "/@file/10-anything.bin")[0] == 403


@pytest.mark.parametrize("query", ["alpha=1e-1999", "value=1e-1999", "alpha=1e401"])
def test_numbers_of_an_address_have_limits_before_anything_is_computed(query):

    with pytest.raises(InvalidProblem, match="beyond double precision"):
        from_query(parse_qs(query))


def test_control_c_ends_it_with_exit_code_0_and_frees_the_port(running):
    process, port = running
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 0
    assert errors == ""
    server.listen(port).close()
