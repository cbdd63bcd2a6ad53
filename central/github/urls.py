"""What GitHub's jobs and GitHub itself ask."""

from django.urls import path

from central.github.views import GitHubOidcView

urlpatterns = [
    path("auth/github-oidc", GitHubOidcView.as_view(), name="auth-github-oidc"),
]
