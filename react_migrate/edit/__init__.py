"""All rules' edits to one file, made by libcst in a single pass, with the imports they need, and verified.

`apply` is the whole interface; `Names` is what a rule's `Edit.rewrite` gets to name things of `react_shims`.
"""

from react_migrate.edit.apply import apply
from react_migrate.edit.names import Names
from react_migrate.edit.transform import EditError

__all__ = ["EditError", "Names", "apply"]
