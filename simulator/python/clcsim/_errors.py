"""What a launch raises. A wrong argument is a TypeError or a ValueError."""


class Error(Exception):
    """A run that didn't come to its end, or whose findings were not wanted. `run`: as far as it came, or None."""

    def __init__(self, message, run=None):
        super().__init__(message)
        self.run = run


class PtxError(Error):
    """The text is no PTX that clcsim can read."""


class Refused(Error):
    """The kernel needs what clcsim doesn't model."""


class Fault(Error):
    """The kernel was stopped: an illegal address, a trap, a deadlock."""


class Limit(Error):
    """The run came to its limit of cycles or of seconds."""


class FindingError(Error):
    """strict=True, and the kernel broke a rule."""


class FindingWarning(UserWarning):
    """The kernel broke a rule."""
