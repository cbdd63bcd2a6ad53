"""The root of what services raise. HTTP statuses are chosen in `central.http.problems`, once.

ServiceError
├── InvalidError            the input is not what the contract says
├── UnauthenticatedError    no credential, or one that is not (or no longer) valid
├── ForbiddenError          the credential lacks a scope or a right
├── NotFoundError           it does not exist, or the credential may not see it
├── ConflictError           the state of things does not allow it
├── PreconditionError       it was changed since it was read
├── TooLargeError           a body is larger than the limit
├── ThrottledError          more was asked in a time than the limit
└── UnavailableError        something this service needs is unavailable
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ValidationError


class ServiceError(Exception):
    """A refusal whose message is safe to show and says what to do; `code` is stable."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None, **extra: object) -> None:
        super().__init__(message)
        self.message = message
        self.extra = extra  # further members of the problem document
        if code is not None:
            self.code = code


class InvalidError(ServiceError):
    """The input is not what the contract says."""

    code = "invalid"


@contextmanager
def validating() -> Iterator[None]:
    """Raise InvalidError for what Django's validation refuses inside."""
    try:
        yield
    except ValidationError as exc:
        raise InvalidError(" ".join(exc.messages)) from exc


class UnauthenticatedError(ServiceError):
    """There is no credential, or one that is not (or no longer) valid."""

    code = "unauthenticated"


class ForbiddenError(ServiceError):
    """The credential lacks a scope or a right."""

    code = "forbidden"


class NotFoundError(ServiceError):
    """It does not exist, or the credential may not see it: the two look alike."""

    code = "not_found"


class ConflictError(ServiceError):
    """The state of things does not allow it."""

    code = "conflict"


class PreconditionError(ServiceError):
    """It was changed since it was read: the entity tag in If-Match is not its own any more."""

    code = "precondition_failed"


class TooLargeError(ServiceError):
    """A body is larger than the limit."""

    code = "too_large"


class ThrottledError(ServiceError):
    """More was asked in a time than the limit; `retry_after` seconds later there is room."""

    code = "throttled"

    def __init__(self, message: str, *, retry_after: int, code: str | None = None) -> None:
        super().__init__(message, code=code, retry_after=retry_after)


class UnavailableError(ServiceError):
    """Something that this service needs is unavailable; the same request may succeed later."""

    code = "unavailable"
