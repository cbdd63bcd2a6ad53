"""Routes of alerts."""

from django.urls import path

from central.alerts.views import AlertsView, AlertTestView

urlpatterns = [
    path("alerts", AlertsView.as_view(), name="alerts"),
    path("alerts/test", AlertTestView.as_view(), name="alerts-test"),
]
