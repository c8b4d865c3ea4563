# uvicorn fastapi_app:app
import secrets
from datetime import datetime, timedelta, timezone
from typing import Union

from fastapi import FastAPI, HTTPException
from fastapi.responses import Response
from pydantic import BaseModel, Field

app = FastAPI()
connectors: dict = {}
tokens: dict = {}


class Activation(BaseModel):
    token: str
    name: str = Field(min_length=1)


class Connector(BaseModel):
    id: int
    name: str
    last_seen: Union[datetime, None] = None


def add(name: str) -> Connector:
    connector = Connector(id=len(connectors) + 1, name=name)
    connectors[connector.id] = connector
    return connector


def find(id: int) -> Connector:
    if id not in connectors:
        raise HTTPException(404, "there is no such connector")
    return connectors[id]


@app.put("/fill/{count}", status_code=204, response_class=Response)
def fill(count: int):
    connectors.clear()
    for at in range(count):
        add(f"web-{at + 1}")


@app.post("/api/connectors/create-token")
def create_token():
    token = secrets.token_urlsafe()
    tokens[token] = False
    return {"token": token, "expires_at": datetime.now(timezone.utc) + timedelta(minutes=10)}


@app.post("/api/connectors/activate", status_code=201)
def activate(body: Activation):
    if body.token not in tokens:
        raise HTTPException(400, "this token is unknown")
    if tokens[body.token]:
        raise HTTPException(409, "this token is used already")
    tokens[body.token] = True
    return {**add(body.name).dict(), "api_key": secrets.token_urlsafe()}


# With a slash, as many write it: a request without one is redirected with 307.
@app.get("/api/connectors/")
def index():
    return list(connectors.values())


@app.get("/api/connectors/{id}")
def show(id: int):
    return find(id)


@app.post("/api/connectors/{id}/heartbeat/")
def heartbeat(id: int):
    find(id).last_seen = datetime.now(timezone.utc)
