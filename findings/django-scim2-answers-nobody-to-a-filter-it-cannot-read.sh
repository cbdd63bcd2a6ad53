#!/usr/bin/env bash
# django-scim2 0.23.0 with scim2-filter-parser 0.7.0 and Django 5.2.9 (PyPI), run on 2026-12-01.
# One would guess: attribute names are compared without case (RFC 7643, 2.1), and a filter that is not supported is refused with 400
# and `invalidFilter` (RFC 7644, 3.4.2.2).
# What happens: `USERNAME eq "ann"` and `active eq true` are answered with 200 and an empty list, as if there were nobody, while
# `userName eq "ann"` finds her.
# Seen: userName=200/1 USERNAME=200/0 active=200/0
# Why it matters: an identity provider asks before it creates. An empty list tells it that the account is not there, so it creates it
# again, or takes the person for removed.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" \
  django-scim2==0.23.0 scim2-filter-parser==0.7.0 django==5.2.9
mkdir "$tmp/people"; touch "$tmp/people/__init__.py"
cat > "$tmp/people/models.py" <<'PY'
from django.contrib.auth.models import AbstractUser
from django.db import models
from django_scim.models import AbstractSCIMGroupMixin, AbstractSCIMUserMixin


class Person(AbstractSCIMUserMixin, AbstractUser):
    scim_groups = models.ManyToManyField("people.Team", related_name="user_set")


class Team(AbstractSCIMGroupMixin):
    name = models.CharField(max_length=50)
PY
seen=$(cd "$tmp" && PYTHONPATH="$tmp/lib:$tmp" python3 - <<'PY' 2>/dev/null
import json
import sys
import types
from urllib.parse import quote

import django
from django.conf import settings

session = "django.contrib.sessions.middleware.SessionMiddleware"
settings.configure(
    SECRET_KEY="x", ALLOWED_HOSTS=["*"], ROOT_URLCONF="routes", LOGGING_CONFIG=None, AUTH_USER_MODEL="people.Person",
    INSTALLED_APPS=["people", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django_scim"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    MIDDLEWARE=[session, "django.contrib.auth.middleware.AuthenticationMiddleware"],
    SCIM_SERVICE_PROVIDER={
        "NETLOC": "localhost", "GROUP_MODEL": "people.models.Team",
        "AUTHENTICATION_SCHEMES": [{"type": "oauth2", "name": "x", "description": "x"}],
    },
)
routes = sys.modules["routes"] = types.ModuleType("routes")
django.setup()
from django.core.management import call_command
from django.test import Client
from django.urls import include, path
from people.models import Person

routes.urlpatterns = [path("scim/v2/", include("django_scim.urls", namespace="scim"))]
call_command("migrate", run_syncdb=True, verbosity=0)
client = Client()
client.force_login(Person.objects.create_superuser("root", "root@example.org", "x"))
Person.objects.create_user("ann")


def asked(text):
    answer = client.get("/scim/v2/Users?filter=" + quote(text))
    return f"{answer.status_code}/{json.loads(answer.content).get('totalResults')}"


print(
    "userName=" + asked('userName eq "ann"'),
    "USERNAME=" + asked('USERNAME eq "ann"'),
    "active=" + asked("active eq true"),
)
PY
)
want='userName=200/1 USERNAME=200/0 active=200/0'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
