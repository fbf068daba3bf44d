"""JupyterLab in a folder of its own: started, asked, and stopped."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TOKEN = "token-of-this-test"
_PATIENCE = 60  # seconds

# All cells are in the page, whether they are scrolled to or not.
_SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}

_RUN_ALL = """async () => {
  const app = window.jupyterapp, panel = app.shell.currentWidget;
  await panel.context.ready;
  await panel.sessionContext.ready;
  await app.commands.execute("notebook:run-all-cells");
}"""

_EXECUTE = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({code, silent: false, store_history: false});
  let said = "";
  future.onIOPub = ({content}) => { said += content.text ?? content.evalue ?? ""; };
  await future.done;
  return said;
}"""


def _environment(folder: Path, **more: str) -> dict[str, str]:
    names = ("CONFIG", "DATA", "RUNTIME")
    own = {f"JUPYTER_{each}_DIR": str(folder / each.lower()) for each in names}
    own["JUPYTERLAB_SETTINGS_DIR"] = str(folder / "settings")
    own["JUPYTERLAB_WORKSPACES_DIR"] = str(folder / "workspaces")
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    own |= {"PYTHONPATH": path, "MINITORCH_CUDA": "emulator"}
    cache = str(ROOT / "build" / "kernel-cache")
    own["MINITORCH_CACHE_DIR"] = os.environ.get("MINITORCH_CACHE_DIR", cache)
    return {**os.environ, **own, **more}


@contextlib.contextmanager
def jupyter_lab(folder: Path, **environment: str) -> Iterator[str]:
    """Start JupyterLab on a free port, give its address, and stop it."""
    for name, values in _SETTINGS.items():
        place = folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(values))
    (folder / "notebooks").mkdir()
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"]
    command += ["--port=0", f"--IdentityProvider.token={TOKEN}"]
    command += ["--LabApp.expose_app_in_browser=True"]
    command += [f"--ServerApp.root_dir={folder / 'notebooks'}"]
    with open(folder / "log", "w") as log:
        server = subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(folder, **environment),
            stdout=log,
            stderr=log,
        )
    try:
        yield _address(folder, server)
    finally:
        server.terminate()
        server.wait(30)


def _address(folder: Path, server: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end and server.poll() is None:
        for found in (folder / "runtime").glob("jpserver-*.json"):
            with contextlib.suppress(json.JSONDecodeError):
                return str(json.loads(found.read_text())["url"])
        time.sleep(0.2)
    raise RuntimeError(f"[jupyter] did not start: {(folder / 'log').read_text()}")


class Notebook:
    """A notebook that is open in JupyterLab.

    Attributes:
        page: Playwright's.
    """

    def __init__(self, page: Any, address: str, name: str) -> None:
        self.page = page
        page.set_default_timeout(1000 * _PATIENCE)
        page.goto(f"{address}lab/tree/{name}?token={TOKEN}&reset")
        page.wait_for_function(
            "window.jupyterapp?.shell.currentWidget?.context?.isReady"
            " && window.jupyterapp.shell.currentWidget.sessionContext.isReady"
        )

    def run_all(self) -> list[dict[str, Any]]:
        """Run all cells and give them, with their outputs."""
        self.page.evaluate(_RUN_ALL)
        return self.page.evaluate(
            "window.jupyterapp.shell.currentWidget.content.model.toJSON().cells"
        )

    def execute(self, code: str) -> str:
        """Run code in the notebook's kernel, and give what it printed."""
        return self.page.evaluate(_EXECUTE, code)


def write_notebook(path: Path, sources: Sequence[str], first_outputs: Any = ()) -> None:
    """A notebook of code cells; the first has outputs from before."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": kernel, "cells": []}
    path.write_text(json.dumps(notebook))
    add_cells(path, sources)
    notebook = json.loads(path.read_text())
    notebook["cells"][0]["outputs"] = list(first_outputs)
    path.write_text(json.dumps(notebook))


def add_cells(path: Path, sources: Sequence[str]) -> None:
    """Code cells at the end of a notebook on disk."""
    notebook = json.loads(path.read_text("utf-8"))
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    for number, source in enumerate(sources):
        known = {"id": f"added-{number}"} if notebook["nbformat_minor"] > 4 else {}
        notebook["cells"].append({**cell, **known, "source": source})
    path.write_text(json.dumps(notebook))


def outputs(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What all cells show, one after the other."""
    return [output for cell in cells for output in cell.get("outputs", [])]
