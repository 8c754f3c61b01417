"""Jupyter notebooks: the code cells of one notebook are one module, and only their source is ever changed.

`document` finds the cells in the JSON text and puts new source into it, `spelling` writes that source as the
file spells its strings, `magics` finds what is not Python and `standin` what stands for it, `file` makes one
module of it all and cells of the module again.
"""

from react_migrate.notebook.file import Notebook, decode_notebook
from react_migrate.notebook.standin import is_boundary, is_stand_in

__all__ = ["Notebook", "decode_notebook", "is_boundary", "is_stand_in"]
