"""Errors that are no errors of the program: of a person's input, and of datasets."""


class InputError(ValueError):
    """Something given to us is wrong: a key, a row, a file, a dataset.

    The message is one sentence for a person: it names the thing, says what is wrong with it
    and what to do. Command lines print it without a traceback.
    """


class RejectedError(Exception):
    """A dataset that can't be had or that no bandit can play; the message is the reason.

    It does not stop a run: the dataset becomes a row with the reason, and the others are played.
    """
