"""Sphinx settings. docs/build.py runs Sphinx on a folder that it fills from the ledger and the notebooks."""

from __future__ import annotations

import html
import os

project = "crawlproof"
author = "The crawlproof contributors"
extensions = ["myst_nb"]

# Notebooks are shown as they were executed and committed.
nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath", "amsmath"]
# Long formulas and tables of notebooks have headings of their own: levels may jump.
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]

html_theme = "furo"
html_title = "crawlproof"
html_static_path = ["_static"]
html_extra_path = ["_extra"]
templates_path = ["_templates"]
html_css_files = ["vendor/katex/katex.min.css", "site.css"]
html_js_files = [("vendor/katex/katex.min.js", {"defer": "defer"}), ("page.js", {"defer": "defer"})]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
# Where the site will be, for the picture of a link to it: https://example.org/crawlproof, say.
html_baseurl = os.environ.get("CRAWLPROOF_SITE_URL", "").rstrip("/")
html_context = {"html_baseurl": html_baseurl}
html_favicon = "_static/favicon.svg"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f4e8c", "color-brand-content": "#1f4e8c"},
    "dark_css_variables": {"color-brand-primary": "#8ab4f8", "color-brand-content": "#8ab4f8"},
}
# A style whose every colour has the contrast that small text needs.
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_math_renderer = "katex"


def _inline(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    self.body.append(rf"\({html.escape(node.astext())}\)</span>")


def _block(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    self.body.append(rf"\[{html.escape(node.astext())}\]</div>")


def _skip(visit):
    def visit_and_skip(self, node):
        from docutils.nodes import SkipNode

        visit(self, node)
        raise SkipNode

    return visit_and_skip


def setup(app):
    app.add_html_math_renderer("katex", (_skip(_inline), None), (_skip(_block), None))
