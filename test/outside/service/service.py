#!/usr/bin/env python3
"""The connectors interface in Python, with the standard library alone.

    service.py --keys FILE [--port N] [--token-ttl SECONDS] [--heartbeat-interval SECONDS]

Each line of FILE is an organization and its API key, and `revoked` where it no longer works. The service listens
on 127.0.0.1, prints its URL once it does, and keeps everything in memory. It is written from docs/interface.md,
docs/open-points.md and docs/guides/build-a-service.md, whose sections the comments cite.
"""

import argparse
import hashlib
import hmac
import json
import re
import secrets
import signal
import sys
import threading
import time
import unicodedata
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

# Bytes of a request body: a token and a name need less than 1 KiB.
MAX_BODY = 16 * 1024
# Bytes that are read of a body that is too large, so that the client reads the refusal.
MAX_DISCARDED = 4 * 1024 * 1024
# Characters of a name, after trimming.
MAX_NAME = 128
# Seconds for which a token is known after its expiry: then "expired" and "used" become "unknown".
REMEMBERED = 3600


class Refusal(Exception):
    """A request that is refused, as the problem document (RFC 9457) that says why."""

    def __init__(self, status, code, detail, headers=()):
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.headers = dict(headers)
        if status == 401:
            self.headers["WWW-Authenticate"] = "Bearer"


@dataclass(frozen=True)
class Caller:
    """Whose key a request has: an organization's, or that of the one connector `connector_id`."""

    organization: str
    connector_id: str | None = None


@dataclass
class Connector:
    """An activated connector. Times are seconds since 1970; it stores no status."""

    id: str
    name: str
    organization: str
    activated_at: float
    last_heartbeat_at: float | None = None


@dataclass
class Token:
    """An activation token, without its secret. Once used, it has its connector and the retry that it accepts."""

    organization: str
    expires_at: float
    connector: Connector | None = None
    idempotency_key: str | None = None


def clock():
    """Seconds since 1970, in whole milliseconds, as responses show them: no token outlives its `expires_at`."""
    return time.time_ns() // 1_000_000 / 1000


def iso(seconds):
    """A time in ISO 8601 in UTC, with milliseconds and a trailing Z; None stays None."""
    if seconds is None:
        return None
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def digest(secret):
    """The SHA-256 of a secret. Secrets are looked up and compared by it alone, so no time tells their characters."""
    return hashlib.sha256(secret.encode()).digest()


def status_of(connector, now, interval):
    """The status (interface §3) at this moment. A heartbeat in the future counts as just received."""
    if connector.last_heartbeat_at is None:
        return "never"
    age = now - connector.last_heartbeat_at
    return "online" if age <= 2 * interval else "stale" if age <= 10 * interval else "offline"


def valid_name(value):
    """The trimmed name of an activation (interface §4.2). Raises Refusal."""
    if not isinstance(value, str):
        raise Refusal(400, "name_invalid", "`name` must be a string.")
    name = value.strip()
    categories = {unicodedata.category(character) for character in name}
    # Control characters, halves of a character, and separators of lines and paragraphs.
    if len(name) > MAX_NAME or categories & {"Cc", "Cs", "Zl", "Zp"}:
        raise Refusal(400, "name_invalid", f"`name` has at most {MAX_NAME} characters, and no control characters.")
    if all(category[0] in "CZ" for category in categories):
        raise Refusal(400, "name_invalid", "`name` needs a visible character.")
    return name


class Registry:
    """All tokens and connectors. Every method may be called by several threads at once."""

    def __init__(self, keys, token_ttl, interval):
        """`keys` are tuples of an organization, its API key, and whether that is revoked."""
        self._keys = [(digest(key), organization, revoked) for organization, key, revoked in keys]
        self._token_ttl, self._interval = token_ttl, interval
        # Keys of connectors derive from it: a repeated activation can return one that nothing stores.
        self._secret = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._tokens = {}
        self._connectors = {}

    def caller(self, authorization):
        """The caller that an Authorization header names (interface §5). Raises Refusal."""
        scheme, _, key = (authorization or "").partition(" ")
        key = key.strip()
        if scheme.lower() != "bearer" or not key:
            raise Refusal(401, "key_missing", "Send an API key as `Authorization: Bearer KEY`.")
        for known, organization, revoked in self._keys:
            if hmac.compare_digest(known, digest(key)):
                if revoked:
                    raise Refusal(401, "key_revoked", "This API key was revoked.")
                return Caller(organization)
        return self._connector_caller(key)

    def _connector_caller(self, key):
        match = re.fullmatch(r"pyk_([0-9a-f]{24})_[0-9a-f]{64}", key)
        connector_id = f"con_{match[1]}" if match else ""
        is_right = hmac.compare_digest(digest(self._key_of(connector_id)), digest(key))
        with self._lock:
            connector = self._connectors.get(connector_id)
        if connector is None or not is_right:
            raise Refusal(401, "key_unknown", "No such API key.")
        return Caller(connector.organization, connector.id)

    def _key_of(self, connector_id):
        mac = hmac.new(self._secret, connector_id.encode(), hashlib.sha256).hexdigest()
        return f"pyk_{connector_id.removeprefix('con_')}_{mac}"

    def create_token(self, caller):
        """A new activation token, whose secret is returned once (interface §4.1)."""
        secret, now = f"pyt_{secrets.token_urlsafe(32)}", clock()
        token = Token(caller.organization, now + self._token_ttl)
        with self._lock:
            # All live equally long, so the oldest come first.
            for old in [*takewhile(lambda one: self._tokens[one].expires_at + REMEMBERED <= now, self._tokens)]:
                del self._tokens[old]
            self._tokens[digest(secret)] = token
        return {"token": secret, "expires_at": iso(token.expires_at)}

    def activate(self, body, idempotency_key):
        """The new connector and its key, once for each token (interface §4.2). Raises Refusal.

        The same Idempotency-Key, token and name return the same response again.
        """
        secret, name = body.get("token"), valid_name(body.get("name"))
        if not isinstance(secret, str) or not re.fullmatch(r"pyt_[\w-]{43}", secret, re.ASCII):
            raise Refusal(400, "token_malformed", "`token` must be an activation token.")
        now = clock()
        with self._lock:
            token = self._tokens.get(digest(secret))
            if token is None:
                raise Refusal(401, "token_unknown", "No such activation token.")
            if token.connector is None:
                if now >= token.expires_at:
                    raise Refusal(410, "token_expired", "This activation token has expired.")
                token.connector = Connector(f"con_{secrets.token_hex(12)}", name, token.organization, now)
                token.idempotency_key = idempotency_key
                self._connectors[token.connector.id] = token.connector
            elif not idempotency_key or (idempotency_key, name) != (token.idempotency_key, token.connector.name):
                raise Refusal(409, "token_used", "This activation token was used.")
            connector = replace(token.connector, last_heartbeat_at=None)
        answer = self._shown(connector, connector.activated_at)
        return {**answer, "api_key": self._key_of(connector.id), "next_heartbeat_seconds": self._interval}

    def list(self, caller):
        """All connectors of the caller's organization, the oldest first (interface §4.3)."""
        now = clock()
        with self._lock:
            own = [one for one in self._connectors.values() if one.organization == caller.organization]
            return [self._shown(one, now) for one in own]

    def get(self, caller, connector_id):
        """One connector (interface §4.4). Raises Refusal."""
        with self._lock:
            return self._shown(self._own(caller, connector_id), clock())

    def heartbeat(self, caller, connector_id):
        """Records a heartbeat (interface §4.5). The last one never goes backwards. Raises Refusal."""
        with self._lock:
            connector, now = self._own(caller, connector_id), clock()
            connector.last_heartbeat_at = max(now, connector.last_heartbeat_at or now)
            return {**self._shown(connector, now), "next_heartbeat_seconds": self._interval}

    def _own(self, caller, connector_id):
        """The connector, if the caller may see it; needs the lock. Another organization's is as unknown as none."""
        if caller.connector_id not in (None, connector_id):
            raise Refusal(401, "key_of_another_connector", "This API key is that of another connector.")
        connector = self._connectors.get(connector_id)
        if connector is None or connector.organization != caller.organization:
            raise Refusal(404, "connector_not_found", "No such connector.")
        return connector

    def _shown(self, connector, now):
        return {
            "id": connector.id,
            "name": connector.name,
            "organization": connector.organization,
            "status": status_of(connector, now, self._interval),
            "activated_at": iso(connector.activated_at),
            "last_heartbeat_at": iso(connector.last_heartbeat_at),
        }


# Method, path, status of success, who may call it, and the operation.
ROUTES = (
    ("POST", "/api/connectors/create-token", 201, "organization", lambda own, call: own.create_token(call.caller)),
    ("POST", "/api/connectors/activate", 201, "anyone", lambda own, call: own.activate(call.json(), call.retry)),
    ("GET", "/api/connectors", 200, "organization", lambda own, call: own.list(call.caller)),
    ("GET", "/api/connectors/{id}", 200, "connector", lambda own, call: own.get(call.caller, call.id)),
    ("POST", "/api/connectors/{id}/heartbeat", 200, "connector", lambda own, call: own.heartbeat(call.caller, call.id)),
)


@dataclass
class Call:
    """What an operation reads of a request."""

    id: str
    body: bytes
    retry: str | None
    caller: Caller | None = None

    def json(self):
        """The body as a JSON object. Raises Refusal."""
        try:
            value = json.loads(self.body.decode())
        except (ValueError, RecursionError):
            raise Refusal(400, "json_invalid", "The body must be JSON in UTF-8.") from None
        if not isinstance(value, dict):
            raise Refusal(400, "json_invalid", "The body must be a JSON object.")
        return value


def match(path):
    """The routes of a path, with or without a query, each with the decoded id in it."""
    for route in ROUTES:
        found = re.fullmatch(route[1].replace("{id}", "([^/?]+)") + r"(\?.*)?", path)
        if found:
            yield route, unquote(found[1]) if "{id}" in route[1] else ""


class Handler(BaseHTTPRequestHandler):
    """Reads a request, has the registry carry it out, and writes the response."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "connectors", ""
    timeout = 75  # Seconds of silence on a connection.
    wbufsize, disable_nagle_algorithm = -1, True  # One packet for the headers and the body.

    def handle_request(self):
        """Answers one request of any method."""
        self._route = "(no route)"
        try:
            self._send(*self._carry_out())
        except Refusal as refusal:
            self._refuse(refusal)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except Exception as error:  # The client learns nothing of it; its type holds no secret.
            print(f"failed: {type(error).__name__}", file=sys.stderr, flush=True)
            self._refuse(Refusal(500, "internal", "The service failed."))

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = handle_request

    def _carry_out(self):
        body = self._read_body()
        method = "GET" if self.command == "HEAD" else self.command
        candidates = list(match(self.path))
        if not candidates:
            raise Refusal(404, "path_not_found", "No such path.")
        fitting = [one for one in candidates if one[0][0] == method]
        if not fitting:
            allowed = ", ".join(one[0][0] for one in candidates).replace("GET", "GET, HEAD")
            raise Refusal(405, "method_not_allowed", "No such method here.", {"Allow": allowed})
        (_, template, status, who, operation), connector_id = fitting[0]
        self._route = f"{method} {template}"
        call = Call(connector_id, body, self.headers.get("Idempotency-Key"))
        if who != "anyone":
            call.caller = self.server.registry.caller(self.headers.get("Authorization"))
        if who == "organization" and call.caller.connector_id is not None:
            raise Refusal(403, "key_of_a_connector", "This needs the API key of an organization.")
        return status, operation(self.server.registry, call)

    def _read_body(self):
        """The whole body, also of a refused request: the next one on the connection begins after it."""
        lengths = set(self.headers.get_all("Content-Length", ["0"]))
        length = lengths.pop()
        is_clear = not lengths and re.fullmatch(r"[0-9]{1,15}", length)
        if "Transfer-Encoding" in self.headers or not is_clear:
            self.close_connection = True
            raise Refusal(411, "length_required", "Send the body with one Content-Length.")
        if int(length) <= MAX_BODY:
            body = self.rfile.read(int(length))
            if len(body) < int(length):
                raise ConnectionError
            return body
        self.close_connection = True
        left = min(int(length), MAX_DISCARDED)
        while left > 0 and (chunk := self.rfile.read1(min(left, 65536))):
            left -= len(chunk)
        raise Refusal(413, "body_too_large", f"A body has at most {MAX_BODY} bytes.")

    def _refuse(self, refusal):
        problem = {"status": refusal.status, "code": refusal.code, "detail": refusal.detail}
        self._send(refusal.status, problem, {"Content-Type": "application/problem+json", **refusal.headers})

    def _send(self, status, answer, headers=()):
        body = json.dumps(answer, ensure_ascii=False).encode()
        print(f"{self._route} {status}", file=sys.stderr, flush=True)
        self.send_response(status)
        fields = {"Content-Type": "application/json", "Cache-Control": "no-store", "Content-Length": len(body)}
        if self.close_connection:
            fields["Connection"] = "close"
        for name, value in {**fields, **dict(headers)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code, message=None, explain=None):
        """What the base class refuses by itself, such as a broken request line: as JSON, not as a web page."""
        self.close_connection, self._route = True, "(no route)"
        self._refuse(Refusal(code, "request_invalid", "The request is not valid HTTP, or has an unknown method."))

    def log_message(self, format, *args):
        """Nothing: a request line can hold a secret. `_send` logs the route and the status."""


class Server(ThreadingHTTPServer):
    """A thread for each connection. `main` gives it its registry."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A connection that ended early concerns nobody else."""


def read_keys(path):
    """The organizations and their keys. Raises SystemExit with the number of a line that is wrong, not its text."""
    keys = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        found = re.fullmatch(r"(\S+) (\S+)( revoked)?", line)
        if not found:
            sys.exit(f"{path}, line {number}: expected ORGANIZATION KEY [revoked]")
        keys.append(found.groups())
    return keys


def main():
    """Serves until TERM or INT."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", required=True, help="file with a line for each key")
    parser.add_argument("--port", type=int, default=8080, help="0 is a free one")
    parser.add_argument("--token-ttl", type=int, default=900, help="seconds")
    parser.add_argument("--heartbeat-interval", type=int, default=60, help="seconds")
    options = parser.parse_args()
    registry = Registry(read_keys(options.keys), options.token_ttl, options.heartbeat_interval)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: sys.exit(0))
    with Server(("127.0.0.1", options.port), Handler) as server:
        server.registry = registry
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
