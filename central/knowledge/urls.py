"""Routes below `/api/v1/graph/`."""

from django.urls import path

from central.knowledge.views import LinksView, NodesView, NodeView, TraverseView

urlpatterns = [
    path("nodes", NodesView.as_view(), name="graph-nodes"),
    path("nodes/<path:node>", NodeView.as_view(), name="graph-node"),
    path("links", LinksView.as_view(), name="graph-links"),
    path("traverse", TraverseView.as_view(), name="graph-traverse"),
]
