"""Files and branches, read and written.

https://docs.github.com/rest/repos/contents
"""

import json
import re
from base64 import b64decode, b64encode
from pathlib import Path
from urllib.parse import unquote

from scripts.local_git import commit_all, git
from tests.local_forge.handler import NOT_FOUND, Answer, Handler, route


@route("GET", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/contents/(?P<path>.+)")
def _contents(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    path = unquote(found["path"])
    if one is None or not one.branches():
        return NOT_FOUND
    ref = handler.query.get("ref", "main")
    if ref not in one.branches():
        return 404, {"message": f"No commit found for the ref {ref}"}
    listed = git(one.bare, "ls-tree", f"refs/heads/{ref}", path.rstrip("/"))
    if not listed:
        return NOT_FOUND
    if listed.split()[1] == "tree":
        names = git(one.bare, "ls-tree", "--name-only", f"refs/heads/{ref}", f"{path}/")
        return 200, [
            {"type": "file", "name": Path(name).name, "path": name, "size": 1, "sha": "0" * 40}
            for name in names.splitlines()
        ]
    content = one.file_at(ref, path).encode()
    return 200, {
        "type": "file",
        "encoding": "base64",
        "size": len(content),
        "name": Path(path).name,
        "path": path,
        "sha": listed.split()[2],
        "content": b64encode(content).decode(),
    }


@route("PUT", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/contents/(?P<path>.+)")
def _write(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    asked = json.loads(handler.body)
    if one is None or one.archived:
        return 403, {"message": "Repository was archived so is read-only."}
    branch, path = asked["branch"], unquote(found["path"])
    known = git(one.bare, "ls-tree", f"refs/heads/{branch}", path)
    if known and asked.get("sha") != known.split()[2]:
        return 422, {"message": 'Invalid request.\n\n"sha" wasn\'t supplied.'}
    git(one.tree, "fetch", "--quiet", "origin")
    git(one.tree, "switch", "--quiet", "--force-create", "work", f"refs/remotes/origin/{branch}")
    file = one.tree / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b64decode(asked["content"]))
    commit = commit_all(one.tree, asked["message"])
    git(one.tree, "push", "--quiet", "origin", f"work:refs/heads/{branch}")
    git(one.tree, "switch", "--quiet", "main")
    return 201, {"content": {"path": path}, "commit": {"sha": commit, "message": asked["message"]}}


@route("GET", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/git/ref/heads/(?P<branch>.+)")
def _ref(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    branch = unquote(found["branch"])
    if one is None or branch not in one.branches():
        return NOT_FOUND
    sha = git(one.bare, "rev-parse", f"refs/heads/{branch}")
    return 200, {"ref": f"refs/heads/{branch}", "object": {"type": "commit", "sha": sha}}


@route("POST", "/repos/(?P<owner>[^/]+)/(?P<name>[^/]+)/git/refs")
def _create_ref(handler: Handler, found: re.Match[str]) -> Answer:
    one = handler.readable(found["owner"], found["name"])
    asked = json.loads(handler.body)
    if one is None:
        return NOT_FOUND
    if asked["ref"].removeprefix("refs/heads/") in one.branches():
        return 422, {"message": "Reference already exists"}
    git(one.bare, "update-ref", asked["ref"], asked["sha"])
    return 201, {"ref": asked["ref"], "object": {"type": "commit", "sha": asked["sha"]}}
