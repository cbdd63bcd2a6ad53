"""Pull requests.

https://docs.github.com/rest/pulls/pulls
"""

import json
import re
from hashlib import sha1

from tests.local_forge.handler import NOT_FOUND, Answer, Handler, route


@route("GET", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/pulls")
def _pulls(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    if one is None:
        return NOT_FOUND
    head, state = handler.query.get("head"), handler.query.get("state", "open")
    return 200, [
        pull
        for pull in one.pulls
        if (head is None or pull["head"]["label"] == head) and state in {"all", pull["state"]}
    ]


@route("POST", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/pulls")
def _open_pull(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    asked = json.loads(handler.body)
    if one is None:
        return NOT_FOUND
    if any(p["head"]["ref"] == asked["head"] and p["state"] == "open" for p in one.pulls):
        return 422, {"message": "Validation Failed"}
    number = len(one.pulls) + 1
    pull = {
        "number": number,
        "state": "open",
        "title": asked["title"],
        "body": asked.get("body"),
        "merged_at": None,
        "html_url": f"{handler.forge.url}/{one.owner}/{one.name}/pull/{number}",
        "head": {"ref": asked["head"], "label": f"{one.owner}:{asked['head']}"},
        "base": {"ref": asked["base"]},
        "id": int(sha1(f"{one.id}/{number}".encode(), usedforsecurity=False).hexdigest()[:8], 16),
    }
    one.pulls.append(pull)
    return 201, pull
