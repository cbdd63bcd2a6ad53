"""A bound on what is computed of the manifests of one repository, which may refer to each other."""

from dataclasses import dataclass


@dataclass(slots=True)
class Effort:
    """Steps that are left, of about a microsecond each."""

    left: int  # negative if there were too few

    def spend(self, steps: int = 1) -> bool:
        """Take steps; whether they were left."""
        self.left -= steps
        return self.left >= 0
