# python3 rest_framework_app.py: PAGINATION is one of its three classes, STATE a file for the database.
import os
import secrets
import sys
from datetime import timedelta

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="fixture", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["STATE"]}},
    INSTALLED_APPS=["rest_framework"], MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    REST_FRAMEWORK={"UNAUTHENTICATED_USER": None, "DEFAULT_AUTHENTICATION_CLASSES": [], "PAGE_SIZE": 20},
)
django.setup()

from django.core.management import execute_from_command_line  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import path  # noqa: E402
from django.utils import timezone  # noqa: E402
from rest_framework import exceptions, pagination, response, routers, serializers, viewsets  # noqa: E402
from rest_framework.decorators import action  # noqa: E402

tokens = {}
kind = os.environ["PAGINATION"]


class Connector(models.Model):
    name = models.CharField(max_length=100)
    last_seen = models.DateTimeField(null=True)
    Meta = type("Meta", (), {"app_label": "rest_framework", "ordering": ["id"]})


class Shown(serializers.ModelSerializer):
    token = serializers.CharField(write_only=True)
    Meta = type("Meta", (), {"model": Connector, "fields": ["id", "name", "last_seen", "token"]})

    def validate_token(self, token):
        if token not in tokens:
            raise serializers.ValidationError("this token is unknown")
        return token

    def create(self, sent):
        if tokens[sent["token"]]:
            raise type("Conflict", (exceptions.APIException,), {"status_code": 409})("this token is used already")
        tokens[sent.pop("token")] = True
        return super().create(sent)


class Connectors(viewsets.ReadOnlyModelViewSet):
    queryset, serializer_class = Connector.objects.all(), Shown
    pagination_class = type("Pages", (getattr(pagination, kind),), {"ordering": "id"})

    @action(["POST"], detail=False, url_path="create-token")
    def create_token(self, _):
        token = secrets.token_urlsafe()
        tokens[token] = False
        return response.Response({"token": token, "expires_at": timezone.now() + timedelta(minutes=10)}, 201)

    @action(["POST"], detail=False)
    def activate(self, request):
        sent = self.get_serializer(data=request.data)
        sent.is_valid(raise_exception=True)
        sent.save()
        return response.Response({**sent.data, "api_key": secrets.token_urlsafe()}, status=201)

    @action(["POST"], detail=True)
    def heartbeat(self, _, pk):
        return response.Response(self.queryset.filter(id=self.get_object().id).update(last_seen=timezone.now()))


def fill(_, count):
    Connector.objects.all().delete()
    made = (Connector(id=at + 1, name=f"web-{at + 1}") for at in range(count))
    return HttpResponse(len(Connector.objects.bulk_create(made)))


# With slashes, as is the default, APPEND_SLASH redirects each request without one with 301.
router = routers.DefaultRouter(trailing_slash=kind == "CursorPagination")
router.register("api/connectors", Connectors)
urlpatterns = [path("fill/<int:count>", fill), *router.urls]
if __name__ == "__main__":
    with connection.schema_editor() as editor:
        editor.create_model(Connector)
    execute_from_command_line([sys.argv[0], "runserver", "--noreload", f"127.0.0.1:{os.environ['PORT']}"])
