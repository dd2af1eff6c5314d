"""The notebook runs from its first cell to its last, in a kernel of its own: the loop is right, its players are shown, and the
broken kernel has its report. The file holds no outputs."""

import sys

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
assert not any(cell.outputs or cell.execution_count for cell in cells), "the notebook was saved with outputs: clear them"
nbclient.NotebookClient(notebook, timeout=120).execute()
outputs = [output for cell in cells for output in cell.outputs]
text = "".join(output.get("text", "") for output in outputs)
players = sum("<iframe" in output.get("data", {}).get("text/html", "") for output in outputs)
assert text.count("right <Run of multiply: 65 blocks launched, ") == 4, text
assert "[response-not-complete]" in text, text
assert players == 2, f"{players} players"
print(f"{len(cells)} cells, {players} players")
