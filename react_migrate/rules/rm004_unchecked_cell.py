from react_migrate.rules.rule import FileProblem


class UncheckedCell(FileProblem):
    """RM004 unchecked-cell.

    A notebook cell was left out, and the other cells were done. Either the Python that runs react-migrate
    cannot parse it, magics and shell commands set aside: it is half-written, Python 2, or newer than this
    Python. Or a cell magic such as `%%writefile` hands it to something else, so that it is not known to be
    part of the notebook's program, though it is Python and mentions something that changes in DSPy 3.5.
    Cells in other languages (`%%bash`) are passed over without a word.

    What to do: correct the cell, or run react-migrate with the Python that the notebook is written for. What
    a cell magic takes, look at yourself: paste it into a file and check that. A comment
    `# react-migrate: ignore[RM004]` in the line that the finding names says that you have.
    """

    code = "RM004"
    summary = "a cell of a notebook was not checked"
