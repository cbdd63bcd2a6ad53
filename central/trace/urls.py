"""Routes below `/api/v1/trace/`."""

from django.urls import path

from central.trace.model_views import ModelsView
from central.trace.scip.views import ScipView
from central.trace.views import (
    CalleesView,
    CallersView,
    CallsView,
    DefinitionView,
    GraphView,
    ImpactView,
    ReferencesView,
)

urlpatterns = [
    path("callers", CallersView.as_view(), name="trace-callers"),
    path("callees", CalleesView.as_view(), name="trace-callees"),
    path("calls", CallsView.as_view(), name="trace-calls"),
    path("definition", DefinitionView.as_view(), name="trace-definition"),
    path("references", ReferencesView.as_view(), name="trace-references"),
    path("graph", GraphView.as_view(), name="trace-graph"),
    path("models", ModelsView.as_view(), name="trace-models"),
    path("impact", ImpactView.as_view(), name="trace-impact"),
    path("scip", ScipView.as_view(), name="trace-scip"),
]
