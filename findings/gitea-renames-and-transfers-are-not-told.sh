#!/usr/bin/env bash
# Gitea 1.27.3 (Go module code.gitea.io/gitea), run on 2026-12-01.
# One would guess: a webhook for `repository` events tells of a rename, a transfer, another visibility and another default branch,
# as GitHub's event of the same name does.
# What happens: only `created` and `deleted` are sent. The rest is silent, also to the organisation that a repository leaves.
# Seen: created rename= visibility= archived= branch= transfer= deleted
# Why it matters: a mirror that follows the events goes on under the old name, and shows what was made private. A push names the
# repository's id and its present name, private and default_branch; the rest has to be asked for.
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
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from api import ask

told = []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["X-Gitea-Event"] == "repository":
            told.append(body["action"])
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
for owner in ("acme", "other"):
    ask("POST", "/orgs", {"username": owner})
ask("POST", "/orgs/acme/hooks", {
    "type": "gitea", "active": True, "events": ["push", "repository", "create", "delete"],
    "config": {"url": f"http://127.0.0.1:{receiver.server_port}/", "content_type": "json"},
})


def events(least=0):
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and (not least or len(told) < least):
        time.sleep(0.1)
    found, told[:] = ",".join(told), []
    return found


ask("POST", "/orgs/acme/repos", {"name": "shop", "private": True, "auto_init": True})
shown = [events(1)]
ask("POST", "/repos/acme/shop/branches", {"new_branch_name": "trunk"})
for what, method, path, body in (
    ("rename", "PATCH", "shop", {"name": "store"}),
    ("visibility", "PATCH", "store", {"private": False}),
    ("archived", "PATCH", "store", {"archived": True}),
    ("branch", "PATCH", "store", {"archived": False, "default_branch": "trunk"}),
    ("transfer", "POST", "store/transfer", {"new_owner": "other"}),
):
    status, _ = ask(method, f"/repos/acme/{path}", body)
    assert status < 300, (what, status)
    shown.append(f"{what}={events()}")
ask("POST", "/orgs/acme/repos", {"name": "till", "auto_init": True})
events(1)
ask("DELETE", "/repos/acme/till")
print(*shown, events(1))
PY
)
want='created rename= visibility= archived= branch= transfer= deleted'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
