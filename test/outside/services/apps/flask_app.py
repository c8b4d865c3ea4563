# flask --app flask_app run
import secrets
from datetime import datetime, timedelta, timezone

from flask import Flask, abort, jsonify, request

app = Flask(__name__)
connectors, tokens = {}, {}


def add(name):
    at = str(len(connectors) + 1)
    connectors[at] = {"id": at, "name": name, "last_seen": None}
    return connectors[at]


@app.put("/fill/<int:count>")
def fill(count):
    connectors.clear()
    return [add(f"web-{at + 1}") for at in range(count)]


@app.post("/api/connectors/create-token")
def create_token():
    token = secrets.token_urlsafe()
    tokens[token] = False
    expires_at = datetime.now(timezone.utc) + timedelta(minutes=10)
    return {"token": token, "expires_at": expires_at.isoformat(timespec="seconds").replace("+00:00", "Z")}


@app.post("/api/connectors/activate")
def activate():
    name, token = request.json.get("name"), request.json.get("token")
    if not name:
        abort(400, "the name is missing")
    if token not in tokens:
        abort(400, "this token is unknown")
    if tokens[token]:
        abort(409, "this token is used already")
    tokens[token] = True
    return {"connector": add(name), "api_key": secrets.token_urlsafe()}, 201


@app.get("/api/connectors")
def index():
    return jsonify(list(connectors.values()))


@app.get("/api/connectors/<id>")
def show(id):
    return connectors.get(id) or abort(404)


@app.post("/api/connectors/<id>/heartbeat")
def heartbeat(id):
    # jsonify writes a datetime as in RFC 1123, so this service sends a text of its own.
    show(id)["last_seen"] = datetime.now(timezone.utc).isoformat()
    return "ok"
