"""Runs programs on one DSPy release: imports DSPy once, and forks for every program.

A process of its own, started by `client.py`; it reads jobs as JSON lines and answers each with a JSON line:
{"root": folder of its modules, "entry": module with `main`, "plan": path, "adapter": name or null,
"warnings": "error" or "default"}
-> {"code": exit code, "output": stdout, "errors": stderr}.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import re
import runpy
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any, TextIO

import announced_rlm
import dspy

from react_shims.testing import Script
from react_shims.transition import release_of

SECONDS_PER_PROGRAM = 60


def serve(jobs: TextIO, answers: TextIO) -> None:
    for line in jobs:
        answers.write(json.dumps(run_in_fork(json.loads(line))) + "\n")
        answers.flush()


def run_in_fork(job: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
            os._exit(run_to_the_end(job))
        _, status = os.waitpid(child, 0)
        output.seek(0)
        errors.seek(0)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "output": output.read(),
            "errors": errors.read(),
        }


def run_to_the_end(job: dict[str, Any]) -> int:
    signal.alarm(SECONDS_PER_PROGRAM)  # ends the process
    try:
        run(job)
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def run(job: dict[str, Any]) -> None:
    """Configure a scripted model and call the program's `main`, as it does itself with a real model."""
    root, plan = Path(job["root"]), runpy.run_path(job["plan"])
    script = Script(plan["PLAN"])
    dspy.configure(lm=script.lm)
    if job["adapter"] is not None:
        dspy.configure(adapter=getattr(dspy, job["adapter"])())
    own = "|".join(re.escape(path.stem) for path in root.iterdir())
    warnings.filterwarnings(job["warnings"], module=rf"({own})(\.|\Z)")
    sys.stdin = io.StringIO(plan.get("STDIN", ""))
    sys.argv = [job["entry"], *plan.get("ARGV", ())]
    sys.path.insert(0, str(root))
    importlib.import_module(job["entry"]).main()
    script.check_finished()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    if (release_of(dspy.__version__) or (0, 0)) >= (3, 5):
        announced_rlm.install()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed is not an answer
    serve(sys.stdin, answers)
    os._exit(0)  # tearing DSPy's dependencies down takes seconds
