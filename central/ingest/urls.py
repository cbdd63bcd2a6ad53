"""Routes of the indexing API."""

from django.urls import path

from central.ingest import views

urlpatterns = [
    path("runs", views.RunsView.as_view(), name="index-runs"),
    path("runs/<uuid:run_id>", views.RunView.as_view(), name="index-run"),
    path("runs/<uuid:run_id>/tree", views.TreeView.as_view(), name="index-run-tree"),
    path(
        "runs/<uuid:run_id>/batches/<int:number>", views.BatchView.as_view(), name="index-run-batch"
    ),
    path(
        "runs/<uuid:run_id>/embeddings",
        views.EmbeddingsView.as_view(),
        name="index-run-embeddings",
    ),
    path("runs/<uuid:run_id>/scip", views.ScipView.as_view(), name="index-run-scip"),
    path("updated", views.WebhookView.as_view(), name="index-updated"),
]
