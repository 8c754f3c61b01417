"""Files of stored runs: V1 trajectories in them become histories, and back.

Data flows one way:

    input (`opening`, `sniff`) -> records (`lines`, `document`, `table`, `parquet`) -> converted records
    (`record`, with `find`, `guess` and `shapes`) -> output (`output`); what cannot be converted -> `rejects`.

`batch` runs a whole command. The conversion itself is `react_shims.wire`: nothing here knows how an event is
made. Nothing here imports dspy, unpickles or evaluates what is stored, and what is stored is printed escaped.
"""
