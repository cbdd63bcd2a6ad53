"""What GitHub is to a job that comes without a key, over HTTP on loopback: the job's id tokens and
the issuer's keys, with the claims as GitHub sends them. For tests and benchmarks only.
"""

import json
import secrets
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.listening import Listening

KEYS_PATH = "/.well-known/jwks"
ID_TOKEN_PATH = "/idtoken"


def job_claims(
    *,
    owner: str = "acme",
    owner_id: int = 9919,
    repository: str = "shop",
    repository_id: int = 74001,
    visibility: str = "private",
    ref: str = "refs/heads/main",
    sha: str = "a" * 40,
    event: str = "push",
) -> dict[str, str]:
    """What GitHub says of a job, without who asks and when; every value is a string there."""
    full_name = f"{owner}/{repository}"
    workflow_ref = f"{full_name}/.github/workflows/code-index.yml@{ref}"
    return {
        "sub": f"repo:{full_name}:ref:{ref}",
        "ref": ref,
        "sha": sha,
        "repository": full_name,
        "repository_owner": owner,
        "repository_owner_id": str(owner_id),
        "repository_id": str(repository_id),
        "repository_visibility": visibility,
        "run_id": "17000000001",
        "run_number": "12",
        "run_attempt": "1",
        "actor": "octocat",
        "actor_id": "583231",
        "workflow": "Code index",
        "head_ref": "",
        "base_ref": "",
        "event_name": event,
        "ref_protected": "false",
        "ref_type": "tag" if ref.startswith("refs/tags/") else "branch",
        "workflow_ref": workflow_ref,
        "workflow_sha": sha,
        "job_workflow_ref": workflow_ref,
        "job_workflow_sha": sha,
        "runner_environment": "github-hosted",
    }


class LocalGitHub(Listening):
    """An issuer of id tokens for one job, whose `claims` may be changed between two tokens.

    `with LocalGitHub() as github:` serves until the block ends. While `is_away`, every answer is
    503. An id token takes `id_token_seconds`. `key_requests` and `id_token_requests` count what was
    asked of it.
    """

    def __init__(self, claims: dict[str, str] | None = None) -> None:
        self.claims = claims or job_claims()
        self.lifetime_seconds = 300
        self.id_token_seconds = 0.0
        self.is_away = False
        self.key_requests = 0
        self.id_token_requests = 0
        self.request_key = secrets.token_urlsafe(24)
        self.rotate()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.github = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.issuer = self.url

    def rotate(self) -> None:
        """Sign with a new key from now on; the old one is no longer published."""
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.key_id = secrets.token_hex(20)

    def key_set(self) -> dict[str, Any]:
        """The published keys, as a JWK set."""
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**public, "alg": "RS256", "use": "sig", "kid": self.key_id}]}

    def payload(self, audience: object, **changes: object) -> dict[str, object]:
        """The claims of a fresh id token; a change to None leaves the claim out."""
        now = int(time.time())
        claims: dict[str, object] = {
            **self.claims,
            "jti": secrets.token_hex(16),
            "iss": self.issuer,
            "aud": audience,
            "iat": now,
            "nbf": now - 5,
            "exp": now + self.lifetime_seconds,
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def id_token(self, audience: object, **changes: object) -> str:
        """A fresh id token of the job; `changes` as in `payload`."""
        return jwt.PyJWS().encode(  # unlike jwt.encode, it signs claims of any type
            json.dumps(self.payload(audience, **changes)).encode(),
            self.key,
            algorithm="RS256",
            headers={"kid": self.key_id},
        )

    def job_environment(self) -> dict[str, str]:
        """What the runner tells a job that has `id-token: write`."""
        return {
            "ACTIONS_ID_TOKEN_REQUEST_URL": f"{self.url}{ID_TOKEN_PATH}?api-version=2.0",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": self.request_key,
        }


class _Handler(BaseHTTPRequestHandler):
    @property
    def _github(self) -> LocalGitHub:
        github: LocalGitHub = self.server.github  # type: ignore[attr-defined]
        return github

    def do_GET(self) -> None:
        """The keys, or an id token."""
        address = urlsplit(self.path)
        if self._github.is_away:
            self._answer(503, {"message": "Service unavailable"})
        elif address.path == KEYS_PATH:
            self._github.key_requests += 1
            self._answer(200, self._github.key_set())
        elif address.path == ID_TOKEN_PATH:
            self._github.id_token_requests += 1
            time.sleep(self._github.id_token_seconds)
            self._give_id_token(parse_qs(address.query).get("audience", []))
        else:
            self._answer(404, {"message": "Not Found"})

    def _give_id_token(self, audiences: list[str]) -> None:
        scheme, _, key = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or key != self._github.request_key:
            self._answer(401, {"message": "Unauthorized"})
            return
        default = f"https://github.com/{self._github.claims['repository_owner']}"
        audience = audiences[0] if audiences else default
        self._answer(200, {"count": 1, "value": self._github.id_token(audience)})

    def _answer(self, status: int, document: object) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Nothing: tests count requests instead."""
