"""Routes for GitHub's jobs and webhooks."""

from django.urls import path

from central.github.views import GitHubOidcView, GitHubWebhookView

urlpatterns = [
    path("auth/github-oidc", GitHubOidcView.as_view(), name="auth-github-oidc"),
    path("github/webhook", GitHubWebhookView.as_view(), name="github-webhook"),
]
