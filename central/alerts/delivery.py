"""One attempt to post a message: bounded in time, to a checked IP address, without redirects.

The receiver's body is never read: an administrator must not read through this service what an
operator's network answers.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

import httpx
from django.conf import settings

from central.errors import InvalidError, UnavailableError
from central.hosts import PrivateAddressError, is_within, resolve_host

ALERT_ADDRESS_CHARACTERS: Final = 2_000
ALERT_SECONDS: Final = 10.0  # of one attempt to deliver
_PORTS: Final = {"https": 443, "http": 80}
_PORT_NUMBERS: Final = range(1, 65_536)
_CONNECT_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a message was not delivered. `is_final`: the receiver wants no more of them."""

    message: str
    is_final: bool = False


def parse_address(text: str) -> httpx.URL:
    """Check an address without looking it up. Raises InvalidError (`alert_address_refused`)."""
    if len(text) > ALERT_ADDRESS_CHARACTERS or not text.isprintable() or " " in text:
        raise _refused(
            f"An address has at most {ALERT_ADDRESS_CHARACTERS:,} characters and no space."
        )
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL as exc:
        raise _refused("It is no address; write https://hooks.example.com/….") from exc
    if url.scheme not in _PORTS or (url.scheme == "http" and not settings.ALERT_NETWORKS):
        raise _refused("Alerts are sent to https:// addresses.")
    port = _PORTS[url.scheme] if url.port is None else url.port
    if not url.host or url.userinfo or url.fragment or port not in _PORT_NUMBERS:
        raise _refused(
            "An address has a host, and neither a user nor a fragment; its port is 1 to 65,535."
        )
    return url


def checked_ips(url: httpx.URL) -> tuple[str, ...]:
    """Return the IP addresses of an address's host; none behind the operator's proxy.

    Raises InvalidError (`alert_address_refused`) if one is private, UnavailableError.
    """
    host, networks = url.raw_host.decode(), settings.ALERT_NETWORKS
    port = url.port or _PORTS[url.scheme]
    try:
        ips = resolve_host(host, port, scheme=url.scheme, networks=networks)
    except PrivateAddressError as exc:
        raise _refused(
            f"The host {host[:100]} has a private address. An operator can allow its network "
            "(AETERNA_ALERT_NETWORKS)."
        ) from exc
    if url.scheme == "http" and not all(is_within(ip, networks) for ip in ips):
        raise _refused("http:// is for the networks of AETERNA_ALERT_NETWORKS.")
    return ips


def shown_address(url: httpx.URL) -> str:
    """Return an address without the part that lets everyone post there."""
    return f"{url.scheme}://{url.netloc.decode()}/…"


def post(address: str, *, headers: dict[str, str], body: bytes) -> Failure | None:
    """Post a body once; None if the receiver took it. Takes ALERT_SECONDS at most."""
    try:
        url = parse_address(address)
        status = asyncio.run(_bounded(url, checked_ips(url), headers, body))
    except (InvalidError, UnavailableError) as exc:
        return Failure(str(exc))
    except TimeoutError:
        return Failure(f"The receiver did not answer in {ALERT_SECONDS:.0f} seconds.")
    except (httpx.HTTPError, ValueError, OSError) as exc:
        return Failure(f"The receiver could not be reached ({type(exc).__name__}).")
    if httpx.codes.is_success(status):
        return None
    if status == httpx.codes.GONE:
        return Failure("The receiver answered HTTP 410: it takes no more messages.", is_final=True)
    hint = " Redirects are not followed." if httpx.codes.is_redirect(status) else ""
    return Failure(f"The receiver answered HTTP {status}.{hint}")


async def _bounded(
    url: httpx.URL, ips: tuple[str, ...], headers: dict[str, str], body: bytes
) -> int:
    async with asyncio.timeout(ALERT_SECONDS):
        if not ips:
            async with httpx.AsyncClient(timeout=ALERT_SECONDS) as http:
                request = http.build_request("POST", url, headers=headers, content=body)
                return await _send(http, request)
        for ip in ips[:-1]:
            try:
                return await _send_to(ip, url, headers, body)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await _send_to(ips[-1], url, headers, body)


async def _send_to(ip: str, url: httpx.URL, headers: dict[str, str], body: bytes) -> int:
    """Connect to `ip` and to nothing else; the certificate must be the host's."""
    timeout = httpx.Timeout(ALERT_SECONDS, connect=_CONNECT_SECONDS)
    async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(), timeout=timeout) as http:
        request = http.build_request(
            "POST",
            url.copy_with(host=ip),
            headers={**headers, "Host": url.netloc.decode()},
            content=body,
            extensions={"sni_hostname": url.raw_host.decode(), "timeout": timeout.as_dict()},
        )
        return await _send(http, request)


async def _send(http: httpx.AsyncClient, request: httpx.Request) -> int:
    """Return the status; the body is not waited for."""
    response = await http.send(request, stream=True, follow_redirects=False)
    await response.aclose()
    return response.status_code


def _refused(message: str) -> InvalidError:
    return InvalidError(message, code="alert_address_refused")
