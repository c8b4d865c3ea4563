# uvicorn fastapi_app:app
import secrets
from datetime import datetime, timedelta, timezone

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

app = FastAPI()
connectors, tokens = {}, {}


class Activation(BaseModel):
    token: str
    name: str = Field(min_length=1)


def add(name: str):
    # Above 2^53, where a number of JavaScript loses digits, as a snowflake id is.
    id = 2**53 + 1 + len(connectors)
    connectors[id] = {"id": id, "name": name, "last_seen": None}
    return connectors[id]


@app.put("/fill/{count}")
def fill(count: int):
    connectors.clear()
    return [add(f"web-{at + 1}") for at in range(count)]


@app.post("/api/connectors/create-token")
def create_token():
    tokens[token := secrets.token_urlsafe()] = False
    return {"token": token, "expires_at": datetime.now(timezone.utc) + timedelta(minutes=10)}


@app.post("/api/connectors/activate", status_code=201)
def activate(body: Activation):
    if tokens.get(body.token) is not False:
        is_used = body.token in tokens
        raise HTTPException(409 if is_used else 400, f"this token is {'used already' if is_used else 'unknown'}")
    tokens[body.token] = True
    return {**add(body.name), "api_key": secrets.token_urlsafe()}


# With a slash, as many write it: a request without one is redirected with 307.
@app.get("/api/connectors/")
def index():
    return list(connectors.values())


@app.get("/api/connectors/{id}")
def show(id: int):
    if id not in connectors:
        raise HTTPException(404, "there is no such connector")
    return connectors[id]


@app.post("/api/connectors/{id}/heartbeat/")
def heartbeat(id: int):
    show(id)["last_seen"] = datetime.now(timezone.utc)
