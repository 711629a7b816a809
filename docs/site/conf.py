# How scripts/docs makes HTML of the pages. Strict: with -W every warning is an error, a link that
# leads nowhere among them.
import os
import re

project = "npunet"
html_title = "npunet"
author = ""
copyright = ""
html_show_copyright = False
html_show_sphinx = False

extensions = ["myst_parser"]
myst_heading_anchors = 6  # anchors as GitHub makes them
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
highlight_language = "none"

html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 2, "collapse_navigation": True}
html_show_sourcelink = False
html_static_path = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "static")]
html_css_files = ["npunet.css"]

repository = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))

# Pages that stand elsewhere in the repository, as scripts/docs calls them.
elsewhere = {"ns3-module/README.md": "ns3-module.md", "ns3-module/doc/npunet.rst": "npunet.rst"}
folder_of = {page[: page.rindex(".")]: os.path.dirname(path) for path, page in elsewhere.items()}

link = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")
fence = re.compile(r"(^```.*?^```\s*?$)", re.M | re.S)
file_of_fence = re.compile(r"^```(\w+) (\S+\.\w+)\n")


def target_of(match, page, folder):
    """Links between pages stay links between pages; other files are opened where they are."""
    text, path, anchor = match.group(1), match.group(2), match.group(3) or ""
    if "://" in path:
        return match.group(0)
    path = os.path.normpath(os.path.join(folder, path))
    if not os.path.exists(os.path.join(repository, path)):
        raise ValueError(f"{page} links to {path}, which does not exist")
    if path in elsewhere:
        return f"[{text}]({elsewhere[path]}{anchor})"
    if path.startswith("docs" + os.sep):
        return f"[{text}]({path[5:]}{anchor})"
    if path == "README.md":
        return f"[{text}](index.md)"
    return f'<a href="../../../{path}">{text}</a>'


def contents(index):
    """The navigation: the sections of the index, and the pages that each links to first."""
    trees = ""
    seen = set()
    for section in index.split("\n## ")[1:]:
        pages = []
        for path in re.findall(r"^- .*", section, re.M):
            for text, page, anchor in link.findall(path):
                if "://" not in page and not page.startswith("<") and page not in seen and not anchor:
                    seen.add(page)
                    pages.append(f"{text[0].upper()}{text[1:]} <{page}>")
        if pages:
            trees += "\n```{toctree}\n:hidden:\n:caption: " + section.split("\n")[0] + "\n\n"
            trees += "\n".join(pages) + "\n```\n"
    return trees


def read(app, name, source):
    folder = folder_of.get(name, "docs")
    if name == "npunet":
        return
    parts = fence.split(source[0])
    for i in range(0, len(parts), 2):
        parts[i] = link.sub(lambda match: target_of(match, name, folder), parts[i])
    for i in range(1, len(parts), 2):
        # A block that is a file says which.
        parts[i] = file_of_fence.sub(r"```{code-block} \1\n:caption: \2\n\n", parts[i])
    source[0] = "".join(parts)
    if name == "index":
        source[0] = source[0].replace(
            "`build/docs/api/index.html`", '<a href="../api/index.html">build/docs/api/index.html</a>'
        )
        source[0] += contents(source[0])


def setup(app):
    app.connect("source-read", read)
