from react_migrate.rules.rule import FileProblem


class OurBug(FileProblem):
    """RM003 our-bug.

    react-migrate checks its own work before it writes a file: the new text must parse and compile, a second
    run must find nothing more to fix, and all text outside of the edits must be byte for byte the same. For
    this file one of these checks failed, or the analysis itself did. That is a mistake in react-migrate,
    not in your code. The file is as it was, and the others were done; the exit code is 2.

    What to do: report it with the message of this finding and, if you may share it, the file or the part of
    it that is needed to see the same again. Until then `--ignore` the code of the fix it tried, or make
    that edit by hand.
    """

    code = "RM003"
    summary = "react-migrate's own checks failed on a file, which was left as it was"
