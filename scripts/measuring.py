"""What the scripts that measure kalah have in common."""

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Failure(Exception):
    """Something a person has to put right; the message says what."""


def timed(command, folder=None):
    """Runs a command to its end; returns the wall seconds and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    seconds = time.perf_counter() - start
    require_success(command, done.returncode, done.stderr)
    return seconds, done.stdout


def run(command, folder=None):
    """Runs a command to its end, its output thrown away; returns the wall seconds."""
    return timed(command, folder)[0]


def ask(command):
    """Runs a command that prints JSON; returns the wall seconds and what the JSON says."""
    seconds, output = timed(command)
    return seconds, json.loads(output)


def require_success(command, status, errors):
    if status != 0:
        words = " ".join(map(str, command))
        raise Failure(
            f"{words} ended with status {status}: {errors.decode(errors='replace').strip()}"
        )


def has_tables(folder, stones, rules="standard"):
    """Whether all layers of up to so many stones, 6 pits, are in a folder."""
    layers = (f"{rules}-6pits-{layer:02}stones.kalah" for layer in range(stones + 1))
    return all((folder / layer).is_file() for layer in layers)


def built_kalah():
    """Builds the release binary; returns its path."""
    subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    return (ROOT / target / "release" / "kalah").resolve()


def machine():
    """The machine in a few words."""
    processors = Path("/proc/cpuinfo").read_text().splitlines()
    model = next(
        (line.split(":", 1)[1].strip() for line in processors if line.startswith("model name")),
        "unknown",
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    cores = len(os.sched_getaffinity(0))
    kernel = os.uname().release.partition("-")[0]
    return f"{model}, {cores} cores, {memory / (1 << 30):.0f} GiB, Linux {kernel}"


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def folder(text):
    path = Path(text)
    if not path.is_dir():
        raise argparse.ArgumentTypeError(f"{text} is not a folder")
    return path


def program(text):
    path = Path(text)
    if not path.is_file() or not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(f"{text} is not a program that can be run")
    return path.resolve()
