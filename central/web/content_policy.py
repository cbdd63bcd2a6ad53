"""The Content-Security-Policy: strict for every page, with what the admin needs there alone."""

from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase


class ContentPolicy(CSPMiddleware):
    """CONTENT_SECURITY_POLICY, with the directives of CONTENT_SECURITY_EXCEPTIONS by path."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        """The policy of an answer to `request`."""
        parts = super().get_policy_parts(request, response, report_only)
        for prefix, directives in settings.CONTENT_SECURITY_EXCEPTIONS.items():
            if request.path.startswith(prefix):
                parts.replace = {**(parts.replace or {}), **directives}
        return parts
