# Sphinx, for the pages that stage.py has copied.
import html
import importlib.util
import json
import os
import pathlib
import re

from docutils import nodes
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer, RegexLexer, do_insertions, inherit
from pygments.lexers import CppLexer
from pygments.token import Comment, Generic, Keyword, Text
from sphinx.highlighting import PygmentsBridge

project = 'Cluster Launch Control'
html_title = project
language = 'en'
root_doc = 'index'
extensions = ['myst_parser']
myst_heading_anchors = 6  # as GitHub's
myst_url_schemes = {'http': None, 'https': None, 'mailto': None, 'files': '{{path}}'}
suppress_warnings = ['myst.header', 'misc.highlighting_failure']

html_theme = 'furo'
pygments_style = pygments_dark_style = 'none'  # book.css has colours for these, the exercises and the player
templates_path = ['templates']
header = pathlib.Path(__file__).with_name('templates').joinpath('header.html').read_text('utf-8')
if not os.environ.get('BOOK_PLAYGROUND'):
    header = header.replace('playground.html', 'simulator/course/playground/index.html')
html_sidebars = {'**': [f'sidebar/{each}.html' for each in ('search', 'scroll-start', 'navigation', 'scroll-end')]}
html_theme_options = {
    'light_css_variables': {
        'color-brand-primary': '#0550ae',
        'color-brand-content': '#0550ae',
        'color-foreground-primary': '#1f2328',
        'font-stack': 'Geist, Awaited, -apple-system, "Segoe UI", Roboto, Arial, sans-serif',
        'font-stack--monospace': '"Geist Mono", ui-monospace, Consolas, "DejaVu Sans Mono", monospace',
        'code-font-size': '13.5px',
        'color-sidebar-link-text--top-level': 'var(--color-foreground-primary)',
        'sidebar-item-font-size': '14px',
        'sidebar-item-line-height': '1.15rem',
        'toc-font-size': '13px',
        'toc-title-font-size': '13px',
        'font-size--small': '14px',
        'font-size--small--2': '13px',
        'font-size--small--3': '13px',
    },
    'dark_css_variables': {'color-brand-primary': '#79c0ff', 'color-brand-content': '#79c0ff', 'color-foreground-primary': '#e6edf3'},
}
address = os.environ.get('BOOK_ADDRESS', '').rstrip('/')  # where the book is published; previews of links need it
if lacks := os.environ.get('BOOK_LACKS'):
    html_theme_options['announcement'] = (
        f'No program runs in this copy of the book, because {lacks} was missing when the copy was '
        'made. <code>bash common/setup.sh book</code> installs it and makes the book again.')
fonts = pathlib.Path(importlib.util.find_spec('shadcn').origin).with_name('fonts')
html_static_path = ['static', str(fonts / 'Geist.woff2'), str(fonts / 'GeistMono.woff2')]
html_favicon = 'static/icon.svg'
html_css_files = ['book.css']
html_js_files = [('../live/live.js', {'defer': 'defer'})] if os.environ.get('BOOK_LIVE') else []  # of live/
html_extra_path = [str(pathlib.Path(os.environ['BOOK_STAGED'], 'extra'))]
html_copy_source = False
smartquotes_action = 'q'  # quotes; dashes are the pages'
html_use_index = False
html_show_sphinx = False
html_show_copyright = False


class Cuda(CppLexer):
    tokens = {'keywords': [(r'__(?:global|device|shared|launch_bounds)__\b', Keyword), inherit]}


class Diff(Lexer):
    """Two forms of C++, coloured as such behind the signs of their lines."""

    def get_tokens_unprocessed(self, text):
        signs, code = [], ''
        for line in text.splitlines(keepends=True):
            sign = re.match('@@|[-+ ]?', line)[0]
            signs.append((len(code), [(0, {'-': Generic.Deleted, '+': Generic.Inserted}.get(sign, Generic), sign)]))
            code += line[len(sign):]
        return do_insertions(signs, Cuda().get_tokens_unprocessed(code))


class Ptx(RegexLexer):
    """The pages' PTX; Pygments' own lexer takes each :: for a mistake."""
    name = 'PTX'
    tokens = {
        'root': [
            (r'//.*', Comment.Single),
            (r'^\d+(?= )', Generic.Strong),  # the step of the loop
            (r'[a-z]\w*(\.\w+(::\w+)*)+', Keyword),
            (r'[%$.]?[\w:]+|.|\n', Text),
        ]
    }


class Lines(HtmlFormatter):
    """Each line of code is an element and knows its indentation: it goes on below itself where it is too long (book.css)."""

    @staticmethod
    def breakable(code):
        return re.sub('[\\w:]{24,}(?![^<]*>)', lambda name: name[0].replace('_', '_<wbr>'), code)

    @staticmethod
    def joined(code):
        """An option, and its value, in one piece."""
        value = '(?:<span class="(?!se)\\w+">[^\\s<]+</span>|[^\\s<\\\\-][^\\s<]*)'
        return re.sub(f'(?<![\\w-])--[a-z][\\w-]*(?:(?:<span class="w"> </span>| ){value})?', r'<span class="option">\g<0></span>', code)

    def wrap(self, source):
        step = '(?<=// )([1-6])(\\. )(?=[a-z])', r'<span class="step">\1</span><span class="said">\2</span>'  # of chapter 03's loop
        first = re.compile('((?:<span class="g[di]?">.</span>)?(?:<[^>]*>)*)( *)(.*)', re.S)
        parts = ((code, *first.match(re.sub(*step, line)).groups()) for code, line in source)
        line = '<span class="line" style="--i:{}">{}<span class="in">{}</span>{}</span>'
        return super().wrap((code, line.format(len(indent), tags, indent, self.joined(self.breakable(rest)))) for code, tags, indent, rest in parts)


# What belongs together in a line: a number and what it counts, a name and its number, a month and its year.
TOGETHER = re.compile(
    r'((?<=\d)(?= (?:[KMG]i?B|[GT]B/s|TFLOP/s|[mµ]?s|minutes?|cycles|SMs|slots|blocks|threads|tiles|elements|\d{3})\b| %)'
    r'|\b(?:CUDA|nvcc|capability|RTX|GCC|NVIDIA|driver|[Cc]hapters?|ISA|January|February|March|April|May|June|July|August'
    r'|September|October|November|December)(?= H?\d)|\bPTX(?= ISA)|✓) ')
DATE = re.compile(r'(?<=\b20\d\d-)(?=\d\d-\d\d\b)|(?<=\b20\d\d-\d\d-)(?=\d\d\b)')
JOINT = [re.compile(each) for each in (r'(?<=[a-z]_)(?=[a-z])|(?<=[a-z])(?=[A-Z])', r'(?<=[^.])(?=\.\w)|(?<=::)(?=\w)|(?<=/)(?=\w)')]  # of names, of PTX and paths
POWER = re.compile(r'\b(\d+)\^(\d+)')


# What a page says of its commands and pictures; on the first page all that follows its tables.
MACHINE = re.compile(r'To build .* alone$|How the pictures? w\w+ drawn$')


def fold(page, doctree):
    """What a reader of the book doesn't need stands at a page's end, folded; the first page's title is its claim."""
    top = next(doctree.findall(nodes.section))
    title = lambda each: each.next_node(nodes.title).astext()
    sections = [each for each in top if isinstance(each, nodes.section)]
    folded = [each for each in sections if MACHINE.match(title(each))]
    names = [title(each) for each in folded]
    if page == 'index':
        top[0][:] = [nodes.Text('Watch a GPU block steal another\u2019s work')]
        whom = next((each for each in top if each.astext().startswith('This course is for you')), None)
        if whom:  # below the claim
            top.remove(whom)
            says = re.split(r'(?<=\.)\s', whom.astext())[:2]
            top.insert(2, nodes.paragraph('', f'You need no GPU. {" ".join(says)}', classes=['whom']))
        last = next((i for i, each in enumerate(sections) if title(each).startswith('When CLC helps')), len(sections))
        table = next(i for i, each in enumerate(top) if isinstance(each, nodes.table))
        folded = top[table + 1:top.index(sections[0])] + sections[last + 1:]
        names = ['A first run', *map(title, sections[last + 1:])]
    if not folded:
        return
    for each in folded:
        top.remove(each)
    head, end = f'<details class="machine"><summary>{html.escape(" · ".join(names))}</summary>', '</details>'
    raw = [nodes.raw('', text, format='html') for text in (head, end)]
    top.append(nodes.section('', nodes.title('', 'On your machine'), raw[0], *folded, raw[1], ids=['machine'], names=['machine']))


def mark(app, doctree):
    """What pages of plain Markdown can't say of headings, tables and text (book.css)."""
    fold(app.env.docname, doctree)
    for section in doctree.findall(nodes.section):  # has the id that its slug on GitHub has, too
        slug = section.get('slug')
        if slug and slug not in section['ids']:
            section['ids'].append(slug)
    for title in doctree.findall(nodes.title):
        number = re.match(r'(\d\d(?:\.\d+)?) (?:- )?', title.astext())
        if number:
            first = next(title.findall(nodes.Text))
            title.replace(first, [nodes.inline('', number[1], classes=['number']), nodes.Text(' ' + first[number.end():])])
        if re.match(r'\d( and \d)?: ', title.astext()):  # about steps of the loop
            parts = enumerate(re.split(r'(\d)( and |: )', title.astext()))
            title[:] = [nodes.inline('', each, classes=[('name', 'step', 'said')[i % 3]]) for i, each in parts if each]
    for paragraph in list(doctree.findall(nodes.paragraph)):
        if paragraph.astext().startswith('PTX: '):
            text = '\n'.join(each.astext() for each in paragraph.findall(nodes.literal))
            paragraph.replace_self(nodes.literal_block(text, text, language='ptx', classes=['ptx']))
    for block in doctree.findall(nodes.literal_block):  # an excerpt begins at the left edge
        first = '.' if block['language'] == 'diff' else ''
        indent = min(map(len, re.findall(f'^{first}( *)(?=\\S)', block.astext(), re.M)), default=0)
        if indent and block['language'] not in ('text', 'sh'):
            block.rawsource = re.sub(f'^({first}) {{{indent}}}', r'\1', block.astext(), flags=re.M)
            block[:] = [nodes.Text(block.rawsource)]
    for table in doctree.findall(nodes.table):
        rows = [list(row.findall(nodes.entry)) for row in table.findall(nodes.row)]
        texts = [[cell.astext() for cell in row] for row in rows]
        if max(sum(map(len, row)) for row in texts[1:]) > 90:
            table['classes'].append('wide')
        for row, cells in zip(rows, texts):
            for cell, head in zip(row, texts[0]):
                if head == 'CLC' or re.match('CLC(, in all|$)|clc$', cells[0]):
                    cell['classes'].append('clc')
    for answer in doctree.findall(nodes.strong):
        answer['classes'] += ['clc'] * (answer.astext() == 'CLC')
    for text in list(doctree.findall(nodes.Text)):
        if isinstance(text.parent, (nodes.literal, nodes.literal_block, nodes.raw, nodes.comment)):
            continue
        parts = enumerate(POWER.split(TOGETHER.sub('\\1\u00a0', DATE.sub('\u2060', text))))
        text.parent.replace(text, [nodes.superscript('', each) if i % 3 == 2 else nodes.Text(each) for i, each in parts])


def describe(app, page, template, context, doctree):
    """The page's header, and what a search engine or a chat shows of a link to the page."""
    says = 'Cluster Launch Control: running thread blocks steal those that have not started. A course that runs in the page, without a GPU.'
    tags = {'name="description"': says}
    if address:
        tags |= {
            'property="og:title"': f'{context.get("title", project)} \u2013 {project}',
            'property="og:description"': says,
            'property="og:url"': f'{address}/{page}.html',
        }
        if pathlib.Path(os.environ['BOOK_STAGED'], 'extra/preview.png').exists():  # made where there is Chromium
            tags |= {'property="og:image"': f'{address}/preview.png', 'name="twitter:card"': 'summary_large_image'}
    door = 'tour' if page == 'simulator/course/tour/index' else 'book'
    context['site_header'] = header.replace(f'data-door="{door}"', 'aria-current="true"')
    # Long names in a line or a cell break where they have a joint.
    context['body'] = re.sub(r'(?:"pre"|<p)>[^<\s]{20,}(?=</)', lambda name: JOINT[bool(re.search('[./]', name[0]))].sub('<wbr>', name[0]), context.get('body', ''))
    context['furo_navigation_tree'] = re.sub('(?<=</span> )[a-z_]{20,}', lambda name: name[0].replace('_', '_<wbr>'), context.get('furo_navigation_tree', ''))
    context['metatags'] = context.get('metatags', '') + ''.join(f'<meta {name} content="{html.escape(text)}">\n' for name, text in tags.items())


def list_sections(app, error):
    """What each section says, without its code, for the search (static/search.js): [[id, title, text, bold], ...] of each page."""
    found, silent = {}, (nodes.section, nodes.title, nodes.literal_block, nodes.raw, nodes.comment)
    for page in [] if error else sorted(app.env.found_docs):
        if 'nosearch' in app.env.metadata[page]:
            continue
        for each in app.env.get_doctree(page).findall(nodes.section):
            own = [part for part in each if not isinstance(part, silent)]
            text, bold = (' '.join(part.astext().lower() for part in parts) for parts in (own, [strong for part in own for strong in part.findall(nodes.strong)]))
            found.setdefault(page, []).append([each['ids'][0], each.next_node(nodes.title).astext(), ' '.join(text.split()), bold])
    pathlib.Path(app.outdir, '_static/sections.js').write_text(f'const sections = {json.dumps(found)};\n', 'utf-8')


def setup(app):
    app.add_lexer('cpp', Cuda)
    app.add_lexer('diff', Diff)
    app.add_lexer('ptx', Ptx)
    PygmentsBridge.html_formatter = Lines
    app.connect('doctree-read', mark, priority=400)  # before Sphinx takes the titles
    app.connect('html-page-context', describe, priority=600)  # after Furo has made its tree
    app.connect('build-finished', list_sections)
