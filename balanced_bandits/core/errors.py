"""Errors in the input or in a dataset, not bugs."""


class InputError(ValueError):
    """The input is wrong: a key, a row, a file or a dataset.

    The message is one sentence for the user: it names the thing, says what is wrong with it and what to do. Command
    lines print it without a traceback.
    """


class RejectedError(Exception):
    """A dataset is not available, or no bandit can play it; the message is the reason.

    It does not stop a run: the dataset is listed with the reason, and the others are played.
    """
