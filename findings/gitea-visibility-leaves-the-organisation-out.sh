#!/usr/bin/env bash
# Gitea 1.27.3 (Go module code.gitea.io/gitea), run on 2026-12-01.
# One would guess: a repository with `private: false` is public, and with `internal: true` it is for everybody who has signed in, as
# at GitHub and GitLab.
# What happens: both fields leave out what the organisation's own visibility does. In a `limited` organisation the repository says
# private: false, internal: false, and is 404 for who has not signed in. In a `private` one it says internal: true, and is 404 for a
# signed-in person who is no member.
# Seen: public=False/False/200/200 limited=False/False/404/200 private=False/True/404/404 (private/internal/anonymous/signed in)
# Why it matters: who copies the repository's fields shows to everybody what the forge shows to members alone. The owner's
# `visibility`, which the same answer has, must be read, too.
set -euo pipefail
tmp=$(mktemp -d); chmod 755 "$tmp"
trap '[[ -z "${server-}" ]] || kill "$server" 2>/dev/null || true; wait 2>/dev/null; chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
export GOPATH="${GOPATH:-$tmp/go}" GOCACHE="${GOCACHE:-$tmp/cache}" GOFLAGS="-mod=mod -modcacherw"
cd "$tmp"
cp -r "$(go mod download -json code.gitea.io/gitea@v1.27.3 | sed -n 's/.*"Dir": "\(.*\)",*/\1/p')" source
chmod -R u+w source; mkdir -p source/public/assets  # the pages are not built: only the API is asked
(cd source && go build -tags "sqlite sqlite_unlock_notify" -o ../gitea . >/dev/null 2>&1)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat > app.ini <<INI
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
RUN_USER = $(id -un)
RUN_MODE = prod
WORK_PATH = $tmp
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = $port
STATIC_ROOT_PATH = $tmp/source
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
[security]
INSTALL_LOCK = true
[webhook]
ALLOWED_HOST_LIST = *
[indexer]
ISSUE_INDEXER_TYPE = db
INI
./gitea web -c app.ini >log 2>&1 & server=$!
for _ in $(seq 60); do curl -fs "http://127.0.0.1:$port/api/v1/version" >/dev/null && break; sleep 1; done
token=$(./gitea admin user create --admin --username root1 --password Passw0rd99 --email root@example.org \
  --must-change-password=false --access-token -c app.ini 2>&1 | sed -n 's/.*created\.\.\. //p')
cat > api.py <<'PY'
import base64
import json
import os
import urllib.error
import urllib.request

TOKEN = "token " + os.environ["TOKEN"]
BOB = "Basic " + base64.b64encode(b"bob:Passw0rd99").decode()


def ask(method, path, body=None, who=TOKEN):
    headers = {"Content-Type": "application/json", **({"Authorization": who} if who else {})}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["API"] + path, data, headers, method=method)
    try:
        answer = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        answer = error
    text = answer.read()
    return answer.status, json.loads(text) if text[:1] in (b"{", b"[") else text
PY
export TOKEN=$token API=http://127.0.0.1:$port/api/v1
seen=$(python3 - <<'PY'
from api import BOB, ask

ask("POST", "/admin/users", {"username": "bob", "email": "bob@example.org", "password": "Passw0rd99", "must_change_password": False})
ask("POST", "/orgs", {"username": "acme"})
ask("POST", "/orgs/acme/repos", {"name": "shop", "private": False, "auto_init": True})
shown = []
for visibility in ("public", "limited", "private"):
    ask("PATCH", "/orgs/acme", {"visibility": visibility})
    _, said = ask("GET", "/repos/acme/shop")
    anonymous, _ = ask("GET", "/repos/acme/shop", who="")
    stranger, _ = ask("GET", "/repos/acme/shop", who=BOB)
    shown.append(f"{visibility}={said['private']}/{said['internal']}/{anonymous}/{stranger}")
print(*shown)
PY
)
want='public=False/False/200/200 limited=False/False/404/200 private=False/True/404/404'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
