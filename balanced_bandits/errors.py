"""The error of a person's input, as opposed to an error of the program."""


class InputError(ValueError):
    """Something given to us is wrong: a key, a row, a file, a dataset.

    The message is one sentence for a person: it names the thing, says what is wrong with it
    and what to do. Command lines print it without a traceback.
    """
