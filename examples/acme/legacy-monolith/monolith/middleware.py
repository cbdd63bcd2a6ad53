"""Who may talk to the monolith: the warehouse terminals, known by their network address."""


class AuthMiddleware:
    """Lets a terminal through by its address. Older than auth-service, and not related to it."""

    def __init__(self, dispatch, addresses):
        self.dispatch = dispatch
        self.addresses = frozenset(addresses)

    def handle(self, address, path, form):
        """The answer of the handler, or None for an address that is not a terminal's."""
        if address not in self.addresses:
            return None
        return self.dispatch(path, form)
