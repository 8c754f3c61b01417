from react_migrate.rules.rule import FileProblem


class CannotBeRead(FileProblem):
    """RM002 cannot-be-used.

    A file or folder does not exist, may not be read, is not text in the encoding it declares, or could not
    be written. The message says which and what to do. The other files were done all the same; the exit code
    is 2, because the job that was asked for could not be done.

    Files are replaced in one step or not at all, so a file with this finding is as it was.
    """

    code = "RM002"
    summary = "a file or folder could not be read or written"
