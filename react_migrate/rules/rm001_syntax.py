from react_migrate.rules.rule import FileProblem


class DoesNotParse(FileProblem):
    """RM001 does-not-parse.

    The file mentions something that changes in DSPy 3.5, or you named it, but the Python that runs react-
    migrate cannot parse it: it is Python 2, or newer than this Python, or half-written, or holds NUL bytes.
    Nothing in it was checked and nothing was changed; `rewrite` never edits what it cannot read. A notebook
    has this finding when it is not valid JSON, has no cells, or is written for Python 2; a single cell that
    does not parse is RM004, and the other cells are done.

    What to do: correct the file, or run react-migrate with the Python that the code is written for
    (`uvx --python 3.13 react-migrate check`). A file that is not meant to be Python can be passed over with
    `--exclude`.
    """

    code = "RM001"
    summary = "a file does not parse, so nothing in it was checked"
