"""What a conversion did, in a few lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from react_migrate.report.escape import printable, shown
from react_migrate.stored.batch import Outcome, Request
from react_migrate.stored.tally import Names

_MOST_NAMED = 3


def lines(request: Request, outcome: Outcome) -> Iterator[str]:
    """The summary, line by line; what was stored is shown escaped."""
    yield from outcome.rejects.shown
    if outcome.rejects.count > len(outcome.rejects.shown):
        yield f"... and {_records(outcome.rejects.count - len(outcome.rejects.shown))} more"
    yield _counts(request, outcome)
    tally = outcome.tally
    if not request.settings.reverse and tally.converted:
        for role, counter in (("inputs", tally.inputs), ("outputs", tally.outputs)):
            yield _roles(role, counter, guessed=role in tally.guessed)
    for name, records in tally.missing.items():
        yield f"  {_records(records)} had no field {printable(repr(name))}"
    for note, records in tally.notes.items():
        yield f"  in {_records(records)} {note}"
    if outcome.failed:
        inputs = f"{len(outcome.failed):,} input{'s' * (len(outcome.failed) > 1)}"
        yield f"  {inputs} could not be converted at all, for the reason below"
    if outcome.passed_over:
        yield f"  {outcome.passed_over} other files in the folders were passed over"
    if outcome.rejects.path is not None:
        yield f"Rejected records are in {shown(outcome.rejects.path)}, whole, each with the reason."


def _counts(request: Request, outcome: Outcome) -> str:
    tally, rejected = outcome.tally, outcome.rejects.count
    target = "trajectories" if request.settings.reverse else "histories"
    parts = [f"{tally.converted:,} converted to {target}"]
    if tally.converted and set(tally.kinds) != {"flat"}:
        parts[0] += f" ({', '.join(f'{kind}: {records:,}' for kind, records in tally.kinds.most_common())})"
    if tally.unchanged:
        parts.append(f"{tally.unchanged:,} unchanged, as they had {target} already")
    if rejected:
        parts.append(f"{rejected:,} rejected")
    return f"{_records(tally.converted + tally.unchanged + rejected)}: {', '.join(parts)}."


def _roles(role: str, counter: Counter[Names], *, guessed: bool) -> str:
    known = Counter({names: records for names, records in counter.items() if names})
    shown_names = [
        f"{', '.join(printable(name[:40]) for name in names)} ({records:,})"
        for names, records in known.most_common(_MOST_NAMED)
    ]
    if len(known) > _MOST_NAMED:
        shown_names.append("...")
    text = f"  {role}{', guessed' if guessed else ''}: {'; '.join(shown_names) or 'none'}"
    if counter[()]:
        text += f"; {_records(counter[()])} without"
    return f"{text}. --{role} names them." if guessed else f"{text}."


def _records(count: int) -> str:
    return f"{count:,} record{'' if count == 1 else 's'}"
