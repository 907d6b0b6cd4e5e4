"""What a run says of the time it still takes: something on a terminal, nothing elsewhere."""

import os
import pty
import subprocess

import pytest

pytestmark = pytest.mark.system


def test_the_time_left_is_said_on_a_terminal_only(workspace):
    command = workspace.command("data/tiny/ant.npz", "data/tiny/bee.npz")
    screen, terminal = pty.openpty()
    try:
        done = subprocess.Popen(
            command, env=workspace.environment, cwd=workspace.folder, stdout=subprocess.DEVNULL, stderr=terminal
        )
    finally:
        os.close(terminal)
    shown = b""
    while part := read(screen):
        shown += part
    os.close(screen)
    assert done.wait() == 0, shown
    assert b" s left." in shown
    assert b"4 of 4 steps (100%) done" in shown
    assert " left." not in workspace.snakemake("data/tiny/cat.npz")


def read(screen):
    try:
        return os.read(screen, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""
