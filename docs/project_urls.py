"""The public addresses: where files must name them, and how links lead there.

    python docs/project_urls.py          # exit status 1 if a file names another one
    python docs/project_urls.py --write  # writes them into those files

`Repository` in pyproject.toml is the one that people change; all others follow from it.
As long as its account is the placeholder OWNER, badges lead to Colab's start page.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACEHOLDER = "OWNER"
START_PAGE = "https://colab.research.google.com/"
_IMAGE = f"{START_PAGE}assets/colab-badge.svg"
_UPLOAD = """\
(There choose *File*, *Upload notebook*. Until there is a release, you also need the
# wheel `minitorch_cuda-…-cp313-….whl`, which `make wheel` writes to `dist/`: click the
# folder icon on the left, then the upload icon, choose it, and run the first cell.)
# """

_REPOSITORY = re.compile(r"https://github\.com/([\w.-]+)/([\w.-]+)")
_BADGE = re.compile(
    rf"\[!\[Open in Colab\]\({re.escape(_IMAGE)}\)\]\([^)]*\)\n# "
    r"(\([^)]*\)\n# )?"  # what to upload, in this version's words or older ones
)
#: The line of a lesson that leads to its copy with outputs, and where such links lead.
RENDERED_LINE = re.compile(
    r"\[See the outputs before you run the cells\.\]\([^)]*/([^)/]*)\)\n(?:# )?"
)
_RENDERED = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+(?=/blob/rendered/)")
_CODESPACE = re.compile(r"https://codespaces\.new/[\w.-]+/[\w.-]+")
_CLONE = re.compile(r"(?<=git clone )https://github\.com/[\w.-]+/[\w.-]+")
# What can only be an address of this project: its name at one of the known hosts.
_OURS = re.compile(
    r"https?://(?:github\.com|raw\.githubusercontent\.com|[\w-]+\.github\.io|"
    r"colab\.research\.google\.com/github|codespaces\.new|img\.shields\.io/github)"
    r"[\w./%-]*/?\bminitorch-cuda\b[\w./%-]*"
)


def repository(root: Path = ROOT) -> str:
    """The address that pyproject.toml names.

    Raises:
        ValueError: it is no repository on GitHub.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    found = str(project["urls"]["Repository"])
    if not _REPOSITORY.fullmatch(found):
        raise ValueError(
            f"[project_urls] got {found!r}; need https://github.com/ACCOUNT/NAME."
        )
    return found


def is_placeholder(address: str) -> bool:
    """Whether the account is not known yet."""
    return address.split("/")[3] == PLACEHOLDER


def derived(address: str) -> dict[str, str]:
    """All addresses of [project.urls] that belong to a repository's.

    Example:
        >>> derived("https://github.com/someone/minitorch-cuda")["Documentation"]
        'https://someone.github.io/minitorch-cuda/'
    """
    account, name = address.split("/")[3:5]
    return {
        "Repository": address,
        "Documentation": f"https://{account}.github.io/{name}/",
        "Issues": f"{address}/issues",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
    }


def colab_page(address: str, notebook: str) -> str:
    """Where the badge of `notebooks/NOTEBOOK.ipynb` leads."""
    if is_placeholder(address):
        return START_PAGE
    account, name = address.split("/")[3:5]
    place = f"{account}/{name}/blob/main/notebooks/{notebook}.ipynb"
    return f"{START_PAGE}github/{place}"


def with_badge(script: str, address: str, notebook: str) -> str:
    """The text of a lesson whose badge leads to its own page.

    Readers upload the notebook where the badge leads to the start page only.
    """
    page = colab_page(address, notebook)
    upload = _UPLOAD if is_placeholder(address) else ""
    badge = f"[![Open in Colab]({_IMAGE})]({page})\n# {upload}"
    return _BADGE.sub(lambda found: badge, script)


def with_rendered_line(script: str, address: str, notebook: str) -> str:
    """The text of a lesson with a link to its copy with outputs, before the badge."""
    page = f"{address}/blob/rendered/{notebook}.ipynb"
    line = f"[See the outputs before you run the cells.]({page})\n# "
    badge = "[![Open in Colab]"
    return RENDERED_LINE.sub("", script).replace(badge, f"{line}{badge}", 1)


def codespaces_page(address: str) -> str:
    """Where a reader starts a container of this repository in a browser.

    Example:
        >>> codespaces_page("https://github.com/someone/minitorch-cuda")
        'https://codespaces.new/someone/minitorch-cuda'
    """
    account, name = address.split("/")[3:5]
    return f"https://codespaces.new/{account}/{name}"


def with_links(page: str, address: str) -> str:
    """Return a page whose clone, Codespaces and rendered notebooks are of `address`.

    Example:
        >>> there = "https://github.com/someone/minitorch-cuda"
        >>> with_links(f"git clone {there[:19]}OWNER/minitorch-cuda", there)
        'git clone https://github.com/someone/minitorch-cuda'
    """
    page = _CODESPACE.sub(codespaces_page(address), page)
    return _CLONE.sub(address, _RENDERED.sub(address, page))


def with_urls(project: str, address: str) -> str:
    """pyproject.toml with the addresses that follow from the repository's."""
    for name, place in derived(address).items():
        line = re.compile(rf'^{name} = "https://[^"]*"$', re.MULTILINE)
        project = line.sub(f'{name} = "{place}"', project)
    return project


def with_citation(citation: str, address: str) -> str:
    """CITATION.cff with the repository's address."""
    line = re.compile(r"^repository-code: .*$", re.MULTILINE)
    return line.sub(f'repository-code: "{address}"', citation)


def expected(root: Path = ROOT) -> dict[Path, str]:
    """The files that name an address, with the text that they must have."""
    address = repository(root)
    project, citation = root / "pyproject.toml", root / "CITATION.cff"
    texts = {project: with_urls(project.read_text("utf-8"), address)}
    texts[citation] = with_citation(citation.read_text("utf-8"), address)
    for page in (root / "README.md", root / "docs" / "lessons.md"):
        texts[page] = with_links(page.read_text("utf-8"), address)
    for path in sorted((root / "notebooks").glob("*.py")):
        text = with_badge(path.read_text("utf-8"), address, path.stem)
        texts[path] = with_rendered_line(text, address, path.stem)
    return texts


def strangers(text: str, address: str) -> list[str]:
    """Addresses of this project in a text that are not below the repository's.

    Example:
        >>> here = "https://github.com/someone/minitorch-cuda"
        >>> strangers(f"{here}/issues and {here.replace('someone', 'else')}", here)
        ['https://github.com/else/minitorch-cuda']
    """
    account, name = address.split("/")[3:5]
    own = [address, f"https://{account}.github.io/{name}"]
    own += [f"{START_PAGE}github/{account}/{name}"]
    own += [codespaces_page(address)]
    own += [f"https://raw.githubusercontent.com/{account}/{name}"]
    found = [match[0] for match in _OURS.finditer(text)]
    return [
        place
        for place in found
        if not any(place == one or place.startswith(f"{one}/") for one in own)
    ]


def refuse_placeholder(
    root: Path = ROOT, given: Mapping[str, str] = os.environ
) -> None:
    """Let a release pass only with an address.

    Raises:
        ValueError: MINITORCH_RELEASE is 1 and the account is still the placeholder.
    """
    if given.get("MINITORCH_RELEASE") != "1":
        return
    address = repository(root)
    if is_placeholder(address):
        raise ValueError(
            f"[release] got the placeholder {address}; need the public address. Set "
            "Repository in pyproject.toml and run python docs/project_urls.py --write."
        )


def main() -> int:
    """Compare or write; give the exit status."""
    write = "--write" in sys.argv[1:]
    wrong = []
    for path, text in expected().items():
        if path.read_text("utf-8") != text:
            wrong.append(path.relative_to(ROOT).as_posix())
            if write:
                path.write_text(text, "utf-8")
    if write:
        if any(name.startswith("notebooks/") for name in wrong):
            print("now run python docs/make_notebooks.py")
        return 0
    for name in wrong:
        print(f"{name}: run python docs/project_urls.py --write")
    refuse_placeholder()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
