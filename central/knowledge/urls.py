"""Routes below `/api/v1/graph/`."""

from django.urls import path

from central.knowledge import views

urlpatterns = [
    path("nodes", views.NodesView.as_view(), name="graph-nodes"),
    path("nodes/<path:node>", views.NodeView.as_view(), name="graph-node"),
    path("links", views.LinksView.as_view(), name="graph-links"),
    path("traverse", views.TraverseView.as_view(), name="graph-traverse"),
    path("violations", views.ViolationsView.as_view(), name="graph-violations"),
    path("unmigrated", views.UnmigratedView.as_view(), name="graph-unmigrated"),
    path("related", views.RelatedView.as_view(), name="graph-related"),
    path("context", views.ContextView.as_view(), name="graph-context"),
    path("snapshot", views.SnapshotView.as_view(), name="graph-snapshot"),
    path("refresh", views.RefreshView.as_view(), name="graph-refresh"),
]
