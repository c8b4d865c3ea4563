# python3 rest_framework_app.py: PAGINATION is one of its three classes, STATE a file for the database.
import os
import secrets

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="fixture", ROOT_URLCONF=__name__, USE_TZ=True, INSTALLED_APPS=["rest_framework"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["STATE"]}},
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"], ALLOWED_HOSTS=["*"],
    REST_FRAMEWORK={"UNAUTHENTICATED_USER": None, "DEFAULT_AUTHENTICATION_CLASSES": [], "PAGE_SIZE": 20},
)
django.setup()
from django.core.management import call_command  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.utils import timezone  # noqa: E402
from rest_framework import decorators, pagination, response, routers, serializers, viewsets  # noqa: E402

kind, tokens, meta = os.environ["PAGINATION"], {}, type("Meta", (), {"app_label": "rest_framework", "ordering": ["id"]})
fields = {"name": models.CharField(max_length=100), "last_seen": models.DateTimeField(null=True)}
Connector = type("Connector", (models.Model,), {**fields, "Meta": meta, "__module__": __name__})


class Connectors(viewsets.ReadOnlyModelViewSet):
    queryset, meta = Connector.objects.all(), type("Meta", (), {"model": Connector, "fields": ["id", *fields]})
    serializer_class = type("Shown", (serializers.ModelSerializer,), {"Meta": meta})
    pagination_class = type("Pages", (getattr(pagination, kind),), {"ordering": "id"})

    @decorators.action(["POST"], detail=False, url_path="create-token")
    def create_token(self, _):
        tokens[token := secrets.token_urlsafe()] = False
        return response.Response({"token": token, "expires_at": timezone.now() + timezone.timedelta(minutes=10)}, 201)

    @decorators.action(["POST"], detail=False)
    def activate(self, request):
        (sent := self.get_serializer(data=request.data)).is_valid(raise_exception=True)
        if (is_used := tokens.get(token := request.data.get("token"))) is None:
            raise serializers.ValidationError({"token": ["this token is unknown"]})
        if is_used:
            return response.Response({"detail": "this token is used already"}, 409)
        tokens[token] = bool(sent.save())
        return response.Response({**sent.data, "api_key": secrets.token_urlsafe()}, 201)

    @decorators.action(["POST"], detail=True)
    def heartbeat(self, _, pk):
        return response.Response(self.queryset.filter(id=self.get_object().id).update(last_seen=timezone.now()))


def fill(_, count):
    Connector.objects.all().delete()
    return django.http.HttpResponse(len([Connector(id=at + 1, name=f"web-{at + 1}").save() for at in range(count)]))


router = routers.DefaultRouter(trailing_slash=kind == "CursorPagination")  # as is the default: 301 without one
router.register("api/connectors", Connectors)
urlpatterns = [django.urls.path("fill/<int:count>", fill), *router.urls]
with connection.schema_editor() as editor:
    editor.create_model(Connector)
call_command("runserver", f"127.0.0.1:{os.environ['PORT']}", use_reloader=False)
