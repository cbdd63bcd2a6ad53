"""Detection of files that look like secrets, by path or content. They are never uploaded."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_DATA: Final = r"(json|ya?ml|toml|ini|cfg|conf|properties|xml|csv|txt|env|enc|db|py\.bak|bak|old)"
_NAMES: Final = re.compile(
    r"\.env|\.env[._-].*|.*\.env|\.envrc(\..*)?"
    r"|.*\.tfstate\..*"
    r"|.*\.(pem|key|p12|pfx|p8|jks|keystore|truststore|kdbx?|ppk|gpg|pgp|asc|ovpn|tfstate|tfvars"
    r"|mobileprovision|keytab|htpasswd|secret|secrets|pkcs12)(\.(backup|bak|old|orig|enc|json|auto))?"
    r"|id_(rsa|dsa|ecdsa|ecdsa_sk|ed25519|ed25519_sk|xmss)([_-][^.]*)?"
    r"|[._]?netrc|\.git-credentials|\.pgpass|\.my\.cnf|\.mylogin\.cnf|\.htpasswd|htpasswd|\.pypirc"
    r"|\.dockercfg|\.dockerconfigjson|\.s3cfg|\.boto|\.vault-token|\.terraformrc|terraform\.rc"
    rf"|kubeconfig.*|.*\.kubeconfig|.*kubeconfig\.{_DATA}|\.?vault[._-]?pass(word)?(\.txt)?"
    r"|\.?(credentials?|secrets?|passwords?|tokens?)"
    rf"|.*(credentials?|secrets?|passwords?)([ ._(-].*)?\.{_DATA}"
    r"|.*service[-_]?account.*\.json|client_secret.*\.json|shadow|auth\.json",
    re.IGNORECASE | re.ASCII,
)
# Suffixes of copies and backups.
_COPY: Final = re.compile(r"(?:[~#]|\.(?:bak|backup|old|orig|save|copy|sw[op]|\d{1,20})){1,8}$")
_DIRECTORIES: Final = frozenset({".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".gcloud"})
_PATHS: Final = frozenset({".docker/config.json"})
_GITHUB: Final = (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_")
# A literal for a fast first check, and the full pattern.
_FORMS: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"PRIVATE KEY", rb"---- ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY"),
    (b"LS0tLS1CRUdJTi", rb"key(?:-data)?[\"']?\s{0,20}[:=]\s{0,20}[\"']?LS0tLS1CRUdJTi"),
    (b"AGE-SECRET-KEY-1", rb"\bAGE-SECRET-KEY-1[0-9A-Z]{40}"),
    (b"hf_", rb"\bhf_[A-Za-z0-9]{34}"),
    (b"SG.", rb"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    (b"PuTTY-User-Key-File-", rb"PuTTY-User-Key-File-\d"),
    (b'"service_account"', rb'"type"\s{0,20}:\s{0,20}"service_account"'),
    (b'"private_key"', rb'"private_key"\s{0,20}:\s{0,20}"-----'),
    (b"AKIA", rb"\bAKIA[0-9A-Z]{16}\b"),
    (b"ASIA", rb"\bASIA[0-9A-Z]{16}\b"),
    *((start, rb"\b" + start + rb"[A-Za-z0-9]{36}") for start in _GITHUB),
    (b"github_pat_", rb"\bgithub_pat_[A-Za-z0-9_]{40}"),
    (b"glpat-", rb"\bglpat-[A-Za-z0-9_-]{20}"),
    (b"npm_", rb"\bnpm_[A-Za-z0-9]{36}"),
    (b"pypi-AgE", rb"\bpypi-AgE[A-Za-z0-9_-]{50}"),
    (b"xox", rb"\bxox[abeoprs]-[0-9A-Za-z-]{20}"),
    (b"AIza", rb"\bAIza[0-9A-Za-z_-]{35}"),
    (b"sk-", rb"\bsk-(?:proj-|ant-|svcacct-)?[A-Za-z0-9_-]{40}"),
    (b"k_live_", rb"\b[rs]k_live_[0-9A-Za-z]{24}"),
)
_CONTENT: Final = tuple((literal, re.compile(form)) for literal, form in _FORMS)
_NPM: Final = re.compile(rb"(?m)(?:^|:)_(?:authToken|auth|password)[ \t]{0,20}=[ \t]{0,20}[^\s${]")
RULES: Final = b"".join(form for _, form in _FORMS) + _NPM.pattern  # cached verdicts depend on them


def is_secret_path(path: str) -> bool:
    """Whether a file's relative path with slashes is typical of secrets."""
    *directories, name = path.lower().split("/")
    return (
        any(_NAMES.fullmatch(original) for original in _originals(name))
        or not _DIRECTORIES.isdisjoint(directories)
        or "/".join([*directories[-1:], name]) in _PATHS
    )


def _originals(name: str) -> Iterator[str]:
    """Yield the name, and the names of possible originals."""
    yield name
    name = unicodedata.normalize("NFKD", name.removeprefix("#"))
    name = "".join(character for character in name if not unicodedata.combining(character))
    yield name
    yield _COPY.sub("", name)


def is_secret_content(path: str, content: bytes) -> bool:
    """Whether the content has a private key or a token of a known form."""
    is_npm = path.rpartition("/")[2].lower() in {".npmrc", ".yarnrc"}
    if is_npm and _NPM.search(content):
        return True
    return any(literal in content and form.search(content) for literal, form in _CONTENT)
