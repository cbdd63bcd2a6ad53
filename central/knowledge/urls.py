"""Routes below `/api/v1/graph/`."""

from django.urls import path

from central.knowledge import views, views_questions

urlpatterns = [
    path("nodes", views.NodesView.as_view(), name="graph-nodes"),
    path("nodes/<path:node>", views.NodeView.as_view(), name="graph-node"),
    path("links", views.LinksView.as_view(), name="graph-links"),
    path("traverse", views_questions.TraverseView.as_view(), name="graph-traverse"),
    path("violations", views_questions.ViolationsView.as_view(), name="graph-violations"),
    path("unmigrated", views_questions.UnmigratedView.as_view(), name="graph-unmigrated"),
    path("related", views_questions.RelatedView.as_view(), name="graph-related"),
    path("context", views_questions.ContextView.as_view(), name="graph-context"),
    path("snapshot", views_questions.SnapshotView.as_view(), name="graph-snapshot"),
    path("refresh", views_questions.RefreshView.as_view(), name="graph-refresh"),
]
