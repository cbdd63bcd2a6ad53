"""Organisations with a small, real index: rows in PostgreSQL, points in Qdrant Edge."""

from collections.abc import Callable

import pytest

from aeterna_code_search.contract.search import SearchAnswer, SearchRequest
from central.search.service import search
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from tests.central.search.corpus import credential_for, index_repository, organization_of

AUTH = {
    "src/auth/middleware.py": '''"""Authentication of requests."""

from src.auth.tokens import validate_token


class AuthMiddleware:
    """Checks the JWT token of each request before a handler sees it."""

    def authenticate(self, request):
        """Return the user that the bearer token belongs to, or raise AuthError."""
        header = request.headers.get("Authorization", "")
        token = header.removeprefix("Bearer ")
        claims = validate_token(token)
        return self.users.find(claims["sub"])

    def refuse(self, request, reason):
        """Answer 401 and log why the authentication failed."""
        self.log.warning("authentication refused", reason=reason)
        response = self.responses.unauthorized(reason)
        response.headers["WWW-Authenticate"] = "Bearer"
        return response
''',
    "src/auth/tokens.py": '''"""JWT tokens."""

import jwt


def validate_token(token):
    """Verify signature and expiry of a JWT token and return its claims."""
    try:
        return jwt.decode(token, KEY, algorithms=["RS256"])
    except jwt.ExpiredSignatureError as error:
        raise TokenExpiredError(token) from error


def issue_token(user, lifetime):
    """Sign a JWT token for the user that is valid for the lifetime."""
    claims = {"sub": user.id, "exp": now() + lifetime}
    return jwt.encode(claims, KEY, algorithm="RS256")
''',
    "src/authors.py": '''def list_authors(database):
    """Names of the people who wrote a book, in the order of the alphabet."""
    rows = database.query("SELECT name FROM authors ORDER BY name")
    return [row.name for row in rows]
''',
    "tests/test_tokens.py": '''from src.auth.tokens import validate_token


def test_expired_token_is_refused():
    """An expired JWT token fails validation."""
    token = issue_token(user=USER, lifetime=-1)
    with raises(TokenExpiredError):
        validate_token(token)
''',
}
PAYMENTS = {
    "src/checkout.ts": """// Checkout with retry of failed payments.
export async function chargeCard(card: Card, amount: Money): Promise<Receipt> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const answer = await gateway.charge(card, amount);
    if (answer.ok) return answer.receipt;
    await sleep(2 ** attempt * 100);
  }
  throw new PaymentFailedError(card, amount);
}
""",
    "internal/ledger/ledger.go": """package ledger

// PostEntry writes a double entry and checks that debit and credit are equal.
func (l *Ledger) PostEntry(debit Account, credit Account, amount Money) error {
	if err := l.lock(debit, credit); err != nil {
		return err
	}
	l.entries = append(l.entries, Entry{debit, credit, amount})
	return l.store.Save(l.entries)
}
""",
    "src/token.ts": """// Reads the JWT token that auth-service issued from the session cookie.
export function readToken(cookies: Cookies): string {
  const token = cookies.get("session");
  if (!token) throw new MissingTokenError();
  return token;
}
""",
}

Search = Callable[..., SearchAnswer]


@pytest.fixture
def acme(db: None) -> Organization:
    """Two indexed repositories."""
    organization = organization_of("acme")
    index_repository(organization, "auth-service", AUTH)
    index_repository(organization, "payments-api", PAYMENTS)
    return organization


@pytest.fixture
def credential(acme: Organization) -> Credential:
    """Sees all of acme."""
    return credential_for(acme)


@pytest.fixture
def find(credential: Credential) -> Search:
    """Search as acme: `find("query", limit=5)`, several queries as a tuple."""

    def find(query: str | tuple[str, ...], **options: object) -> SearchAnswer:
        queries = (query,) if isinstance(query, str) else query
        request = SearchRequest(queries=queries, **options)  # type: ignore[arg-type]
        return search(credential=credential, request=request)

    return find
