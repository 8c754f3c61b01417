"""How long `check` thinks about a project, against `ast.parse` on the same files (parsed and dropped).

    python benchmarks/analysis.py [FOLDER] [--rounds N]

Without a folder a project of 200 files is made up: services that build, hold, hand on and read agents across
files, among modules that have nothing to do with them. Prints the ratio of the medians.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import random
import statistics
import tempfile
import textwrap
import time
from pathlib import Path

from react_migrate.flow import AnalysedFile, Program
from react_migrate.interpreter import undisturbed
from react_migrate.rules import Rule, all_rules
from react_migrate.source import SourceError, decode

AGENT = """
import dspy
from dataclasses import dataclass

from app.tools{n} import lookup{n}, normalise{n}


class Service{n}(dspy.Module):
    '''Answer questions about area {n} with the tools of that area.'''

    def __init__(self, rounds: int = 5):
        super().__init__()
        self.agent = dspy.ReAct("question, context -> answer: str", tools=[lookup{n}], max_iters=rounds)
        self.rank = dspy.ChainOfThought("candidates -> best")
        self.cache = {{}}

    def forward(self, question, context=""):
        key = (question, context)
        if key in self.cache:
            return self.cache[key]
        result = self.agent(question=question, context=normalise{n}(context))
        self.cache[key] = result
        return result


@dataclass
class Job{n}:
    service: Service{n}
    question: str
    attempts: int = 3

    def run(self):
        for attempt in range(self.attempts):
            try:
                return self.service(question=self.question)
            except ValueError as error:
                last = error
        raise RuntimeError("gave up") from last


def build{n}(rounds=5):
    return Service{n}(rounds)
"""

READER = """
import json
import logging

from app.agent{n} import Job{n}, build{n}

log = logging.getLogger(__name__)


def steps{n}(trajectory):
    index = 0
    while f"tool_name_{{index}}" in trajectory:
        yield trajectory[f"tool_name_{{index}}"], trajectory[f"observation_{{index}}"]
        index += 1


def report{n}(result, path=None):
    rows = [dict(name=name, seen=str(seen)) for name, seen in steps{n}(result.trajectory)]
    if hasattr(result, "trajectory") and path:
        path.write_text(json.dumps(rows, indent=2))
    return rows


def main{n}(questions):
    service = build{n}()
    results = [Job{n}(service, question).run() for question in questions]
    for question, result in zip(questions, results):
        log.info("%s took %d steps", question, len(result.trajectory) // 4)
        report{n}(result)
    return {{question: result for question, result in zip(questions, results)}}
"""

TOOLS = """
import re
from collections import Counter
from pathlib import Path


class Index{n}:
    def __init__(self, folder: Path):
        self.folder = folder
        self.words = Counter()
        self.lines = {{}}

    def load(self):
        for path in sorted(self.folder.glob("*.txt")):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                words = [word.lower() for word in re.findall(r"\\w+", line)]
                self.words.update(words)
                for word in words:
                    self.lines.setdefault(word, []).append((path.name, number, line))
        return self

    def find(self, query, limit=10):
        scores = Counter()
        for word in re.findall(r"\\w+", query.lower()):
            for name, number, line in self.lines.get(word, ()):
                scores[(name, number, line)] += 1 / self.words[word]
        return [place for place, _ in scores.most_common(limit)]


def lookup{n}(query: str) -> str:
    '''Look something up in area {n}.'''
    found = Index{n}(Path("data/{n}")).load().find(query)
    return "\\n".join(f"{{name}}:{{number}} {{line}}" for name, number, line in found) or "nothing"


def normalise{n}(text):
    text = re.sub(r"\\s+", " ", text).strip()
    return text[:1].upper() + text[1:] if text else text
"""

PLAIN = """
from dataclasses import dataclass, field


@dataclass
class Record{n}:
    identity: int
    tags: list = field(default_factory=list)
    history: dict = field(default_factory=dict)

    def tagged(self, tag):
        self.tags.append(tag)
        return self

    def summary(self):
        return {{"id": self.identity, **{{tag: len(tag) for tag in self.tags}}, **self.history}}


def merge{n}(records, *, key=lambda record: record.identity):
    merged = {{}}
    for record in records:
        known = merged.get(key(record))
        if known is None:
            merged[key(record)] = record
        else:
            known.tags.extend(record.tags)
            known.history.update(record.history)
    return sorted(merged.values(), key=key)
"""


def make_project(folder: Path, seed: int = 0) -> None:
    """200 files: 40 of each kind that belong together, and 80 plain ones; sizes as real modules have them."""
    rng = random.Random(seed)
    package = folder / "app"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for n in range(40):
        for name, text in (("agent", AGENT), ("reader", READER), ("tools", TOOLS)):
            (package / f"{name}{n}.py").write_text(text.format(n=n) + _ballast(rng, 3))
    for n in range(79):
        (package / f"plain{n}.py").write_text(PLAIN.format(n=n) + _ballast(rng, 5))


def _ballast(rng: random.Random, functions: int) -> str:
    """Ordinary code around what matters."""
    parts = []
    for _ in range(functions):
        name = f"step_{rng.randrange(10**6)}"
        parts.append(
            f'''

            def {name}(values, *, scale={rng.random():.3f}, offset={rng.randrange(100)}):
                """Scale, clip and group values."""
                scaled = [min(max(value * scale + offset, 0.0), 1.0) for value in values if value is not None]
                groups = {{}}
                for position, value in enumerate(scaled):
                    groups.setdefault(round(value, 1), []).append((position, value))
                best = max(groups.items(), key=lambda item: len(item[1]), default=(None, []))
                if not best[1]:
                    raise ValueError(f"no values among {{len(values)}}")
                return {{"best": best[0], "count": len(best[1]), "all": sorted(groups)}}
            '''
        )
    return textwrap.dedent("".join(parts))


def measure(folder: Path, rounds: int) -> None:
    """Print the medians and their ratio."""
    sources = []
    for path in sorted(folder.rglob("*.py")):
        with contextlib.suppress(SourceError):  # not text: nothing to parse
            sources.append(decode(path, path.read_bytes()))
    triggers = {trigger for rule in all_rules().values() for trigger in rule.triggers}
    floor, ours, findings = [], [], 0
    for _ in range(rounds):
        gc.collect()  # nothing of the round before may slow this one down
        start = time.perf_counter()
        for source in sources:
            ast.parse(source.text)
        floor.append(time.perf_counter() - start)
        start = time.perf_counter()
        with undisturbed():
            candidates = [source for source in sources if any(trigger in source.raw for trigger in triggers)]
            chosen = {source.path for source in candidates}
            others = [source for source in sources if source.path not in chosen]
            program = Program.build(candidates, others)
            files = program.files.values()
            findings = sum(len(list(rule.check(file))) for file in files for rule in _concerned(file))
            program.forget()
        ours.append(time.perf_counter() - start)
    parse, analysis = statistics.median(floor), statistics.median(ours)
    size = sum(len(source.raw) for source in sources)
    print(f"{len(sources)} files, {size / 1e6:.2f} MB, {findings} findings, {rounds} rounds")
    print(f"analysis / ast.parse = {analysis / parse:.2f}")


def _concerned(file: AnalysedFile) -> list[Rule]:
    return [rule for rule in all_rules().values() if rule.concerns(file)]


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if options.folder is not None:
        measure(options.folder, options.rounds)
        return
    with tempfile.TemporaryDirectory() as folder:
        make_project(Path(folder))
        measure(Path(folder), options.rounds)


if __name__ == "__main__":
    main()
