"""Settings of pages and people: limits, sessions, sign-in."""

from csp.constants import NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# By the beginning of the path: directives that stand in place of those above.
CONTENT_SECURITY_EXCEPTIONS = {
    "/admin/": {  # unfold's Alpine evaluates expressions and sets styles
        "script-src": [SELF, UNSAFE_EVAL],
        "style-src": [SELF, UNSAFE_INLINE],
    },
    "/api/v1/docs": {"style-src": [SELF, UNSAFE_INLINE]},  # Swagger UI's page has a style element
}


LOGIN_URL = "web:sign-in"
LOGIN_REDIRECT_URL = "web:home"
LOGOUT_REDIRECT_URL = "web:sign-in"

_PASSWORDS = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_PASSWORDS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_PASSWORDS}.CommonPasswordValidator"},
    {"NAME": f"{_PASSWORDS}.NumericPasswordValidator"},
    {"NAME": f"{_PASSWORDS}.UserAttributeSimilarityValidator"},
]

SESSION_COOKIE_AGE = 14 * 86_400
SESSION_COOKIE_SAMESITE = "Lax"  # a link from elsewhere opens a page; nothing is posted from there
