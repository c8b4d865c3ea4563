# python3 rest_framework_app.py runserver; PAGINATION is one of its three classes.
import os
import secrets
import sys
from datetime import datetime, timedelta, timezone

import django
from django.conf import settings
from django.core.management import execute_from_command_line

settings.configure(
    DEBUG=True, SECRET_KEY="fixture", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], USE_TZ=True,
    INSTALLED_APPS=["rest_framework"], MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    REST_FRAMEWORK={"UNAUTHENTICATED_USER": None, "DEFAULT_AUTHENTICATION_CLASSES": []},
)
django.setup()

from django.urls import path  # noqa: E402
from rest_framework import pagination, serializers, status  # noqa: E402
from rest_framework.exceptions import APIException, NotFound, ValidationError  # noqa: E402
from rest_framework.decorators import api_view  # noqa: E402
from rest_framework.response import Response  # noqa: E402

connectors, tokens = {}, {}
paginations = {
    "page": type("P", (pagination.PageNumberPagination,), {"page_size": 20}),
    "limit": type("P", (pagination.LimitOffsetPagination,), {"default_limit": 20}),
    "cursor": type("P", (pagination.CursorPagination,), {"page_size": 20, "ordering": "id"}),
}


class Connectors(list):
    """As much of a query set as the paginators use: they slice, count, order and filter."""

    def order_by(self, *names):
        return Connectors(sorted(self, key=lambda one: one["id"], reverse=names[0][0] == "-"))

    def filter(self, id__gt=None, id__lt=None):
        if id__gt is not None:
            return Connectors(one for one in self if one["id"] > int(id__gt))
        return Connectors(one for one in self if one["id"] < int(id__lt))

    def count(self):
        return len(self)


class Activation(serializers.Serializer):
    token = serializers.CharField()
    name = serializers.CharField(max_length=100)


class Conflict(APIException):
    status_code = status.HTTP_409_CONFLICT


def find(id):
    if id not in connectors:
        raise NotFound()
    return connectors[id]


@api_view(["PUT"])
def fill(_, count):
    connectors.clear()
    for at in range(1, count + 1):
        connectors[at] = {"id": at, "name": f"web-{at}", "last_seen": None}
    return Response(status=204)


@api_view(["POST"])
def create_token(_):
    token = secrets.token_urlsafe()
    tokens[token] = False
    return Response({"token": token, "expires_at": datetime.now(timezone.utc) + timedelta(minutes=10)}, 201)


@api_view(["POST"])
def activate(request):
    sent = Activation(data=request.data)
    sent.is_valid(raise_exception=True)
    token, at = sent.validated_data["token"], len(connectors) + 1
    if token not in tokens:
        raise ValidationError({"token": ["this token is unknown"]})
    if tokens[token]:
        raise Conflict("this token is used already")
    tokens[token] = True
    connectors[at] = {"id": at, "name": sent.validated_data["name"], "last_seen": None}
    return Response({**connectors[at], "api_key": secrets.token_urlsafe()}, status=201)


@api_view(["GET"])
def index(request):
    paginator = paginations[os.environ["PAGINATION"]]()
    page = paginator.paginate_queryset(Connectors(connectors.values()), request)
    return paginator.get_paginated_response(page)


@api_view(["GET"])
def show(_, id):
    return Response(find(id))


@api_view(["POST"])
def heartbeat(_, id):
    find(id)["last_seen"] = datetime.now(timezone.utc)
    return Response()


api = "api/connectors"
# With a slash, as Django's own documentation: APPEND_SLASH redirects a GET without one with 301.
urlpatterns = [
    path("fill/<int:count>", fill), path(f"{api}/create-token", create_token), path(f"{api}/activate", activate),
    path(f"{api}/", index), path(f"{api}/<int:id>/", show), path(f"{api}/<int:id>/heartbeat", heartbeat),
]
if __name__ == "__main__":
    execute_from_command_line([sys.argv[0], "runserver", "--noreload", f"127.0.0.1:{os.environ['PORT']}"])
