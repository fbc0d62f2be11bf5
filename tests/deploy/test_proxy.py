"""The reverse proxy of `deploy/nginx.conf`, run for real in front of upstreams that echo."""

import base64
import getpass
import http.client
import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(
    NGINX is None or OPENSSL is None, reason="nginx or openssl is not installed"
)

CONFIG = Path(__file__).resolve().parents[2] / "deploy" / "nginx.conf"
OPERATORS, VIEWERS, SERVICE = "dagster.example.org", "viewer.example.org", "rag.example.org"
MUTATION = "/graphql?query=mutation%7BterminateRun%7D"
# What distributions write into nginx.conf: the tested file must work with it.
# `user` keeps a proxy started by root from dropping to a user who cannot read a test's folder.
MAIN = """
daemon off;
user {user};
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/main-error.log;
events {{}}
http {{
    ssl_protocols TLSv1.2 TLSv1.3;
    access_log {folder}/distribution.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/clinrag.conf;
}}
"""


class Reply(NamedTuple):
    status: int
    body: str

    @property
    def upstream(self) -> dict[str, str]:
        return json.loads(self.body)


class Echo(BaseHTTPRequestHandler):
    """Answers with its name and the request headers; closes the connection on /v1/broken."""

    def answer(self) -> None:
        if self.path.startswith("/v1/broken"):
            self.close_connection = True
            return
        switching = self.headers.get("Upgrade") == "websocket"
        sent = {"name": self.server.name, "path": self.path, **dict(self.headers)}
        body = b"" if switching else json.dumps(sent).encode()
        self.send_response(101 if switching else 200)
        if switching:
            self.send_header("Upgrade", "websocket")
            self.send_header("Connection", "upgrade")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = answer  # noqa: N815 - names of the standard library

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def upstream(name: str) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    server.name = name
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def password(user: str) -> str:
    command = [OPENSSL, "passwd", "-apr1", f"secret-of-{user}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()  # noqa: S603


def write_secrets(folder: Path) -> None:
    for user in ("operators", "viewers"):
        (folder / f"{user}.htpasswd").write_text(f"{user}:{password(user)}\n")
    make = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=test"
    )
    files = ["-keyout", str(folder / "tls.key"), "-out", str(folder / "tls.crt")]
    subprocess.run([OPENSSL, *make.split(), *files], capture_output=True, check=True)  # noqa: S603


class Proxy:
    """A running proxy; requests to a name go to it without DNS."""

    def __init__(self, folder: Path, port: int, plain: int) -> None:
        self.folder = folder
        self.port = port
        self.plain = plain
        self.tls = ssl.create_default_context()
        self.tls.check_hostname = False
        self.tls.verify_mode = ssl.CERT_NONE

    def ask(
        self,
        name: str,
        path: str,
        method: str = "GET",
        user: str | None = None,
        host: str | None = None,
        **headers: str,
    ) -> Reply:
        """Ask as a browser would; `name` is the name of the TLS handshake, `host` the header."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.sock = self.tls.wrap_socket(
            socket.create_connection(("127.0.0.1", self.port), timeout=10), server_hostname=name
        )
        if user is not None:
            login = base64.b64encode(f"{user}:secret-of-{user}".encode()).decode()
            headers["Authorization"] = f"Basic {login}"
        sent = {key.replace("_", "-"): value for key, value in headers.items()}
        connection.request(method, path, headers={"Host": host or name, **sent})
        response = connection.getresponse()
        reply = Reply(response.status, response.read().decode())
        connection.close()
        return reply

    def logs(self) -> str:
        return "".join(file.read_text() for file in self.folder.glob("*.log"))


def adapted(folder: Path, ports: dict[str, int]) -> str:
    text = CONFIG.read_text()
    for old, new in {
        "webserver-readonly:3001": f"127.0.0.1:{ports['viewers']}",
        "webserver:3000": f"127.0.0.1:{ports['operators']}",
        "serve:8000": f"127.0.0.1:{ports['service']}",
        "listen 443": f"listen 127.0.0.1:{ports['tls']}",
        "listen 80": f"listen 127.0.0.1:{ports['plain']}",
        "/etc/nginx/clinrag": str(folder),
        "/var/log/nginx": str(folder),
    }.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        assert process.poll() is None, "nginx ended; see its output"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError("nginx does not listen")


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("proxy")
    write_secrets(folder)
    servers = {name: upstream(name) for name in ("operators", "viewers", "service")}
    ports = {name: server.server_address[1] for name, server in servers.items()}
    ports |= {"tls": free_port(), "plain": free_port()}
    (folder / "clinrag.conf").write_text(adapted(folder, ports))
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=getpass.getuser()))
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")])  # noqa: S603
    try:
        wait_for(ports["tls"], process)
        yield Proxy(folder, ports["tls"], ports["plain"])
    finally:
        process.terminate()
        process.wait(timeout=10)
        for server in servers.values():
            server.shutdown()
            server.server_close()


def test_nobody_gets_in_without_a_login(proxy: Proxy):
    assert proxy.ask(OPERATORS, "/").status == 401
    origin = f"https://{OPERATORS}"
    assert proxy.ask(OPERATORS, "/graphql", "POST", Origin=origin).status == 401


def test_a_viewer_cannot_log_in_where_operators_do(proxy: Proxy):
    assert proxy.ask(OPERATORS, "/", user="viewers").status == 401
    assert proxy.ask(OPERATORS, "/", user="operators").upstream["name"] == "operators"


def test_viewers_are_sent_to_the_read_only_webserver(proxy: Proxy):
    assert proxy.ask(VIEWERS, "/runs", user="viewers").upstream["name"] == "viewers"


@pytest.mark.parametrize(
    "path", [MUTATION, MUTATION.replace("graphql", "%67raphql"), f"/{MUTATION}"]
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT"])
def test_a_link_cannot_carry_a_mutation(proxy: Proxy, path: str, method: str):
    """The webserver would execute it, with the login the browser has stored."""
    reply = proxy.ask(OPERATORS, path, method, user="operators", Origin=f"https://{OPERATORS}")
    assert reply.status == 405


@pytest.mark.parametrize(
    "origin", ["https://evil.example.com", "null", f"http://{OPERATORS}", f"https://{VIEWERS}"]
)
def test_another_origins_post_is_refused(proxy: Proxy, origin: str):
    reply = proxy.ask(OPERATORS, "/graphql", "POST", user="operators", Origin=origin)
    assert reply.status == 403


def test_a_post_that_names_no_origin_is_refused(proxy: Proxy):
    assert proxy.ask(OPERATORS, "/graphql", "POST", user="operators").status == 403


@pytest.mark.parametrize(("name", "user"), [(OPERATORS, "operators"), (VIEWERS, "viewers")])
def test_a_same_origin_post_reaches_the_webserver_without_the_password(
    proxy: Proxy, name: str, user: str
):
    reply = proxy.ask(name, "/graphql", "POST", user=user, Origin=f"https://{name}")
    assert reply.upstream["name"] == user
    assert "Authorization" not in reply.upstream
    assert reply.upstream["Host"] == name


def test_a_websocket_is_let_through_from_the_same_origin_only(proxy: Proxy):
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade"}
    same_origin = proxy.ask(
        OPERATORS, "/graphql", user="operators", Origin=f"https://{OPERATORS}", **upgrade
    )
    assert same_origin.status == 101
    other = proxy.ask(OPERATORS, "/graphql", user="operators", Origin="https://evil", **upgrade)
    assert other.status == 403


def test_only_graphql_takes_a_post(proxy: Proxy):
    origin = f"https://{OPERATORS}"
    assert proxy.ask(OPERATORS, "/x", "POST", user="operators", Origin=origin).status == 403


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("what", ["materialization", "check", "observation"])
def test_nobody_writes_events_past_graphql(proxy: Proxy, what: str, method: str):
    path, origin = f"/report_asset_{what}/release", f"https://{OPERATORS}"
    assert proxy.ask(OPERATORS, path, method, user="operators", Origin=origin).status == 403


def test_an_unknown_host_is_closed_without_an_answer(proxy: Proxy):
    with pytest.raises(http.client.RemoteDisconnected):
        proxy.ask(OPERATORS, "/", user="operators", host="rebound.example.com")


def test_an_unknown_name_gets_no_handshake(proxy: Proxy):
    with pytest.raises(ssl.SSLError):
        proxy.ask("rebound.example.com", "/", user="operators")


def test_plain_http_redirects_to_https_for_configured_names_only(proxy: Proxy):
    connection = http.client.HTTPConnection("127.0.0.1", proxy.plain, timeout=10)
    connection.request("GET", "/", headers={"Host": VIEWERS})
    assert connection.getresponse().getheader("Location") == f"https://{VIEWERS}/"
    connection.close()
    connection.request("GET", "/", headers={"Host": "rebound.example.com"})
    with pytest.raises(http.client.RemoteDisconnected):
        connection.getresponse()
    connection.close()


def test_the_service_is_reached_with_its_api_key_and_its_metrics_are_not(proxy: Proxy):
    reply = proxy.ask(SERVICE, "/v1/search?query=dose", Authorization="Bearer clinrag_key")
    assert (reply.upstream["name"], reply.upstream["Authorization"]) == (
        "service",
        "Bearer clinrag_key",
    )
    assert proxy.ask(SERVICE, "/metrics").status == 404


@pytest.mark.parametrize(
    "path", ["/", "/sources?at=0123456789abcdef:0-5", "/pictures/00/1.webp", "/static/page.css"]
)
def test_the_question_page_is_reached_and_the_api_pages_are_not(proxy: Proxy, path: str):
    assert proxy.ask(SERVICE, path).upstream["name"] == "service"
    for hidden in ("/docs", "/openapi.json", "/documents/../metrics"):
        assert proxy.ask(SERVICE, hidden).status == 404


def test_no_log_contains_a_question_even_when_the_service_fails(proxy: Proxy):
    """A question may contain patient data, and GET carries it in the address."""
    proxy.ask(SERVICE, "/v1/search?query=coughing-blood")
    assert proxy.ask(SERVICE, "/v1/broken?query=coughing-blood").status == 502
    deadline = time.monotonic() + 5
    while '"GET /v1/broken"' not in proxy.logs() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert '"GET /v1/search"' in proxy.logs()
    assert '"GET /v1/broken"' in proxy.logs()
    assert "coughing-blood" not in proxy.logs()
