"""What happens to the corpus, for whoever builds on it."""

from django.dispatch import Signal

# Sent after an apply has been committed, with `repository` as it then is (its `generation`
# tells applies apart). A receiver that fails is logged and hinders neither the run nor others.
index_applied = Signal()
