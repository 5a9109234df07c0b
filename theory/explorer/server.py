"""The explorer's page on loopback: marimo's own server application under uvicorn, in this process.

Nothing but this machine can connect. A request for another host's name is refused, so that no web site can point its
own name here, and so is one that another site's page sends. Of marimo's interface only what the page needs is open:
its files, its socket, and the two calls with which a control says its new value; code cannot be sent. The notebook's
code is not sent either, and no check for updates is made. No other page may show it in a frame. Files of marimo's own
are given while a page is open: without one it would look for their names in the shared memory of the machine.

Other users of the machine can connect too, so a page is for who knows the token. It is this user's, the same each
time, kept in a file that nobody else can read: `address` has it, the browser that opens that address keeps it as a
cookie, and addresses without it open from then on.
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import socket
import sys
import tempfile
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from theory.store import cache_folder

HOST = "127.0.0.1"
PORT = 2788  # where nothing else is said, so that links live
COOKIE = "theory-explorer"
PAGE = Path(__file__).resolve().with_name("page.py")

CALLS = {"/api/kernel/set_ui_element_value", "/api/kernel/function_call"}
CLOSED = ("/api", "/auth", "/terminal", "/sse", "/lsp", "/mcp")  # the rest of marimo's interface
MAX_BODY = 4 << 20  # bytes of one call: an upload of a MiB, in base64, and room
MAX_LINE = 1 << 18  # bytes of an address: the longest that a page makes (`theory.explorer.links`), and room
FRAMES = {b"iframe", b"frame", b"embed", b"object"}
NO_FRAME = [(b"x-frame-options", b"DENY"), (b"content-security-policy", b"frame-ancestors 'none'")]


def listen(port: int | None = None) -> socket.socket:
    """A socket on loopback that already queues connections; without a port, on `PORT`, or a free one beside it."""
    if port is None:
        try:
            return listen(PORT)
        except OSError:
            port = 0
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # elsewhere this would let two programs share the port
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((HOST, port))
    except OSError as error:
        bound.close()
        raise OSError(f"cannot listen on {HOST}:{port}: {error.strerror}") from None
    bound.listen(64)
    return bound


@cache
def token() -> str:
    """This user's, made once; where it cannot be kept it is of this process."""
    path, made = cache_folder() / "explorer-token", secrets.token_urlsafe(16)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent) as file:  # which nobody else can read
            file.write(made)
            file.flush()
            with suppress(FileExistsError):  # two that start at once take the same
                os.link(file.name, path)
        kept = path.read_text(encoding="ascii").strip()
        return kept if len(kept) >= len(made) else made
    except (OSError, ValueError):
        return made


def address(bound: socket.socket, query: str = "") -> str:
    """What opens the page in a browser."""
    host, port = bound.getsockname()
    return f"http://{host}:{port}/?{f'{query}&' if query else ''}token={token()}"


class OwnPage:
    """Passes on what this machine's own page asks for, refuses the rest, and closes the sessions at the end."""

    def __init__(self, app: Any, port: int) -> None:
        self.app, self.open = app, 0
        self.hosts = {f"{name}:{port}".encode() for name in (HOST, "localhost")}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif self.is_own(dict(scope["headers"])) and is_needed(scope, self.open > 0):
            if not knows_token(dict(scope["headers"])):
                await _admit(scope, send)
                return
            socket = scope["type"] == "websocket"
            self.open += socket
            try:
                await self.app(scope, receive, send if socket else _unframed(send))
            finally:
                self.open -= socket
        elif scope["type"] == "http":
            await _refuse(send, b"The explorer answers its own page only.\n")
        else:
            await send({"type": "websocket.close", "code": 1008})

    def is_own(self, headers: dict[bytes, bytes]) -> bool:
        """Asked under our own name, and not by another site's page?"""
        origin = headers.get(b"origin")
        own = origin is None or origin.removeprefix(b"http://") in self.hosts
        return headers.get(b"host") in self.hosts and own and headers.get(b"sec-fetch-dest") not in FRAMES

    async def _lifespan(self, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        # marimo closes its sessions at the end of its own lifespan, which a mounted application never sees.
        for route in getattr(self.app, "routes", ()):
            manager = getattr(getattr(getattr(route, "app", None), "state", None), "session_manager", None)
            if manager is not None:
                await manager.shutdown()
        await send({"type": "lifespan.shutdown.complete"})


def knows_token(headers: dict[bytes, bytes]) -> bool:
    """Does the browser's cookie hold it?"""
    pairs = (part.strip().partition(b"=") for part in headers.get(b"cookie", b"").split(b";"))
    return any(name == COOKIE.encode() and is_token(value) for name, _, value in pairs)


def is_token(text: bytes) -> bool:
    """In a time that tells nothing."""
    return hmac.compare_digest(text, token().encode())


async def _admit(scope: Any, send: Any) -> None:
    """The page's address with the right token leads to the same address without it; anything else is refused."""
    query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    shown = urlencode([pair for pair in query if pair[0] != "token"], safe="/:,")
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    elif scope["path"] == "/" and any(key == "token" and is_token(value.encode()) for key, value in query):
        kept = f"{COOKIE}={token()}; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax".encode()
        headers = [(b"location", f"/?{shown}".encode()), (b"set-cookie", kept), *NO_FRAME]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
    else:
        await _refuse(send, b"Open the address that `theory explore` prints: it has a token.\n")


async def _refuse(send: Any, why: bytes) -> None:
    headers = [(b"content-type", b"text/plain"), *NO_FRAME]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": why})


def _unframed(send: Any) -> Any:
    """What is sent, with the word that no other page may show it in a frame."""

    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = message | {"headers": [*message.get("headers", ()), *NO_FRAME]}
        await send(message)

    return sent


def is_needed(scope: Any, page_open: bool = True) -> bool:
    """Is it a file, the page's socket, or a control's new value of a size that has an end?"""
    path, headers = scope["path"], dict(scope["headers"])
    if scope["type"] == "websocket":
        return bool(path == "/ws")
    if scope["method"] in ("GET", "HEAD"):
        return not path.startswith(CLOSED) and (page_open or not path.startswith("/@file"))
    length = headers.get(b"content-length", b"")
    sized = length.isdigit() and int(length) <= MAX_BODY and b"transfer-encoding" not in headers
    return bool(scope["method"] == "POST" and path in CALLS and sized)


def application(notebook: Path, port: int) -> OwnPage:
    """A notebook as an ASGI application, with the script beside it where there is one."""
    os.environ.setdefault("MARIMO_SKIP_UPDATE_CHECK", "1")
    import marimo

    script = notebook.with_suffix(".js")  # of the explorer: the address, dragging, names for screen readers
    head = f"<script>{script.read_text(encoding='utf-8')}</script>" if script.is_file() else None
    maker = marimo.create_asgi_app(quiet=True, include_code=False, html_head=head)
    return OwnPage(maker.with_app(path="", root=str(notebook)).build(), port)


def warm_up() -> None:
    """Import and compute what the first visitor would wait for."""
    from theory.explorer import answers, cards, controls, panels, rulers  # noqa: F401  imported for later
    from theory.explorer.links import from_query

    view = from_query({})
    cards.verdict_card(view), rulers.ruler(view), panels.panel(view, "Overview")


def serve(bound: socket.socket, notebook: Path = PAGE) -> None:
    """Answer until interrupted; then close every session and return."""
    try:
        os.environ.setdefault("WEBSOCKETS_MAX_LINE_LENGTH", str(MAX_LINE))  # read when it is imported
        import uvicorn

        logging.getLogger("marimo").setLevel(logging.ERROR)
        app = application(notebook, bound.getsockname()[1])
        threading.Thread(target=warm_up, daemon=True).start()
        config = uvicorn.Config(
            app, log_level="error", timeout_graceful_shutdown=2, lifespan="on", h11_max_incomplete_event_size=MAX_LINE
        )
        uvicorn.Server(config).run(sockets=[bound])
    except KeyboardInterrupt:
        # Before it listens, or uvicorn has shut down and hands the signal on: being stopped is how this program ends.
        pass
    finally:
        bound.close()


def leave() -> None:
    """End this process now: threads of kernels may be in compiled code, which Python's own way out aborts (SIGABRT)."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
