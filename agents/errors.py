"""What a tool answers instead of a result: a stable code, a status and what to do next."""


class RefusedError(Exception):
    """A refusal or an expected failure.

    `message` is safe to show and says what to do, `code` is stable, `status` is HTTP's.
    """

    def __init__(self, message: str, *, code: str, status: int) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
