#!/usr/bin/env bash
# Gitea 1.27.3 (Go module code.gitea.io/gitea), run on 2026-12-01.
# One would guess: `GET /repos/{owner}/{repo}/collaborators/{user}/permission`, "get repository permissions for a user", says what
# the person may do there, however they came by it, as GitHub's endpoint of the same name does.
# What happens: for a member of a team whose rights are given by unit (`units_map`, as the pages make every team but the owners'
# and the administrators'), it says `none`. So does the team's own `permission`. The person reads the repository and its files.
# Seen: permission=none role=none team=none files=200
# Why it matters: who mirrors rights by this endpoint, or by the teams' `permission`, hides from most people what they may read.
# `units_map["repo.code"]` of the repository's teams, with the direct collaborators, says who reads code.
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
ask("POST", "/orgs/acme/repos", {"name": "shop", "private": True, "auto_init": True})
_, team = ask("POST", "/orgs/acme/teams", {
    "name": "coders", "permission": "read", "units_map": {"repo.code": "read"}, "includes_all_repositories": True,
})
ask("PUT", f"/teams/{team['id']}/members/bob")
_, said = ask("GET", "/repos/acme/shop/collaborators/bob/permission")
files, _ = ask("GET", "/repos/acme/shop/contents/README.md", who=BOB)
print(f"permission={said['permission']} role={said['role_name']} team={team['permission']} files={files}")
PY
)
want='permission=none role=none team=none files=200'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
