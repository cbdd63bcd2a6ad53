"""Routes of the onboarding API."""

from django.urls import path

from central.onboarding.views import OnboardingsView, OnboardingView

urlpatterns = [
    path("onboarding", OnboardingsView.as_view(), name="onboardings"),
    path("onboarding/<uuid:backfill_id>", OnboardingView.as_view(), name="onboarding"),
]
