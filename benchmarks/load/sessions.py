"""A person's session with a service that believes itself behind TLS: its cookies are secure."""

from typing import Final
from urllib.parse import urlsplit

import httpx

from scripts.browsing import PASSWORD
from scripts.local_service import ServiceError

HTTPS: Final = {"X-Forwarded-Proto": "https"}


def session_cookie(url: str, person: str) -> str:
    """Sign in, and return the header Cookie of the session."""
    headers = {**HTTPS, "Referer": f"https://{urlsplit(url).netloc}/sign-in"}
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        token = client.get("/sign-in").raise_for_status().cookies["csrftoken"]
        answer = client.post(
            "/sign-in",
            data={"username": person, "password": PASSWORD, "csrfmiddlewaretoken": token},
            headers={"Cookie": f"csrftoken={token}"},
        )
    session = answer.cookies.get("sessionid")
    if answer.status_code != httpx.codes.FOUND or session is None:
        raise ServiceError(f"{person} may not sign in: {answer.status_code}")
    return f"sessionid={session}"
