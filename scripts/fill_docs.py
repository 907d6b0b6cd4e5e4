"""Update the numbers in the documents.

Input: published/, README.md and docs/*.md. Output: the same documents, with their blocks of published numbers updated.
With --check, nothing is written, and documents that would change are an error.
"""

import argparse
from pathlib import Path

from balanced_bandits.core.command_line import guarded
from balanced_bandits.core.errors import InputError
from balanced_bandits.core.files import write_text
from balanced_bandits.verification.documents import Published, filled


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--published", type=Path, default=Path("published"))
    parser.add_argument(
        "--documents", type=Path, nargs="+", default=[Path("README.md"), *sorted(Path("docs").glob("*.md"))]
    )
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    published = Published(arguments.published)
    changed = {}
    for path in arguments.documents:
        before = path.read_text(encoding="utf-8")
        if (after := filled(before, published, str(path))) != before:
            changed[path] = after
    if arguments.check and changed:
        raise InputError(f"{', '.join(map(str, changed))} do not show what is published; run scripts/fill_docs.py.")
    for path, text in changed.items():
        write_text(path, text)
        print(f"{path}: numbers updated")


if __name__ == "__main__":
    guarded(main)
