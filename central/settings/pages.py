"""What a browser may do with a page of ours: its own scripts and styles, and nothing inline."""

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
