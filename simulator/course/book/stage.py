#!/usr/bin/env python3
"""Copies the course's pages into a folder for Sphinx, which makes the book of them.

  stage.py OUT CHAPTER... [--repository URL]

The pages stay as they are, but:
- links to pages lead to the copies; links to other files lead to URL, and without one to a copy of the file
- a link to a page whose words are the name of its file has the page's title instead; from pages about the course the
  book's link leads to its first page, and the playground's to the playground
- what a command draws or prints carries the command, for the scripts of the book: a figure (class run) or a div
  (class run-output) with data-command around it
- the race's picture stands in a div (class race), which the book's scripts fill
- a paragraph or table after the mark `on GitHub`, and a table's row that leads to the book, are left out; the first page's line
  "Start with" stands in a div (class start), with a task of the playground; what a page needs is a list in one (class needs)
- where programs run in the pages, what an exercise page says of the reader's machine is folded, and chapters say that
  most exercises can be done there
- kind and time of an exercise are of class chip
- below each question of a quiz stands its answer, folded, from the page that the quiz calls its answers
- each page ends with a hidden list of the pages below it, in the order in which it links to them: the book's contents
"""
import argparse
import os
import re
import shutil
import sys
from html import escape
from pathlib import Path
from urllib.parse import unquote

COURSE = Path(__file__).resolve().parents[3]
BOOK, PLAYGROUND = Path('simulator/course/book/README.md'), Path('simulator/course/playground/README.md')
RACE = Path('simulator/course/book/race/race.svg')  # which the book plays
IMAGE = re.compile(r'!\[[^]]*\]\((?P<image>[^)\s]+)\)')
LINK = re.compile(r'(`+)(?!`).*?(?<!`)\1(?!`)|' + IMAGE.pattern + r'|\]\((?P<target>[^)\s]+)\)', re.DOTALL)  # or code
NAMED = re.compile(r'\[(?:`?[\w./-]+\.md`?|\d\d_\w+|[^]\[]*README)\]\((?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)')  # by its file
MACHINE = re.compile(r'^(Start the watch\b.*?\n\n)(?:(?=## )|(The check builds.*?\n)(Beside each .*?\n\n))', re.M | re.S)  # of exercises
ELSEWHERE = re.compile(r'^(?:<!-- on GitHub -->\n\n?(?:.+\n)+\n|\| .*/book/README\.md\) \|\n)', re.M)
ROWS = re.compile(r'^\*\*(?:\[(?P<start>Start with )|You need\*\*)(?:.+\n)+', re.M)
BEGIN = re.compile(r'Begin with `cmake --build build --target exercise_\d\d_1`\.')
KIND = re.compile(r'^\*([^*]+), ([\w ]+ minutes)\*, (?=\[[^]]+/task\.cu)', re.M)  # of an exercise, and its time
SHOWN = re.compile(r'^(build/bin/clcsim .*--timeline )([a-z-]+)(\.svg .*build/bin/)(\w+)(.*)', re.M)
FENCE = re.compile(r'^ *```')
NUMBERED = re.compile(r'^(?=\*\*\d+\.\*\* )', re.MULTILINE)  # questions of a quiz, and their answers


def is_page(path):
    return path.suffix == '.md' and path.is_file() and path.read_text('utf-8').startswith('# ')


def pages_of_the_course():
    found = []
    for folder, folders, files in os.walk(COURSE):
        folders[:] = sorted(each for each in folders if not each.startswith(('.', 'build')))
        found += [Path(folder, each) for each in sorted(files)]
    return [each.relative_to(COURSE) for each in found if is_page(each)]


def staged(page):
    """A README is the page of its folder."""
    return page.with_name('index.md') if page.name == 'README.md' else page


def parent(page, pages):
    """The page that the book shows this one below: of its folder, or of the nearest folder above that has one."""
    folder = page.parent.parent if page.name == 'README.md' else page.parent
    while folder != Path('.'):
        named = [each for each in pages if each.parent == folder.parent and each.stem.lower() == folder.name.lower()]
        for candidate in [folder / 'README.md', *named]:  # teaching/ belongs to TEACHING.md
            if candidate in pages and candidate != page:
                return candidate
        folder = folder.parent
    return Path('README.md')


def blocks(text):
    """The text in pieces: (whether it is a block of code, its lines)."""
    lines, in_code = [], False
    for line in text.splitlines(keepends=True):
        if not FENCE.match(line):
            lines.append(line)
        elif in_code:
            yield True, ''.join([*lines, line])
            lines, in_code = [], False
        else:
            yield False, ''.join(lines)
            lines, in_code = [line], True
    yield in_code, ''.join(lines)


def links(text):
    """Targets of the links to files, in their order."""
    for code, piece in blocks(text):
        if not code:
            for match in LINK.finditer(piece):
                target = match['target']
                if target and not target.startswith('#') and not re.match('[a-z]+:', target):
                    yield target


def resolved(target, page):
    path, _, anchor = target.partition('#')
    return Path(os.path.normpath(COURSE / page.parent / unquote(path))).relative_to(COURSE), anchor


def contents(pages, chapters, texts):
    """For each page the pages below it."""
    below = {page: [] for page in pages}
    for page in pages:
        if page != Path('README.md'):
            below[parent(page, pages)].append(page)
    for page, children in below.items():
        order = [Path(each) / 'README.md' for each in chapters]
        order += [resolved(each, page)[0] for each in links(texts[page])]
        children.sort(key=lambda each: (order.index(each) if each in order else len(order), each))
    return below


def commands_of_pictures(pages, texts):
    """What draws a picture: its mark; for pictures of strategies, the command that a page shows for one of them."""
    commands, strategies = {}, {}
    for page in pages:
        for command, picture in re.findall(r'^<!-- picture of: (.*) -->\n!\[[^]]*\]\(([^)]*)\)', texts[page], re.MULTILINE):
            commands[resolved(picture, page)[0]] = command
    for file in COURSE.glob('*/pictures/strategies.txt'):
        for picture, kernel in re.findall(r'^(?!#)(\S+) \| (\S+)', file.read_text('utf-8'), re.MULTILINE):
            strategies[picture] = (file.parents[1].name, kernel)
    for page in pages:
        for start, shown, options, program, rest in SHOWN.findall(re.sub(r'\s*\\\n\s*', ' ', texts[page])):
            if strategies.get(shown, [''])[0] != program:
                continue
            for picture, (own, kernel) in strategies.items():
                command = f'{start}{picture}{options}{own} --kernel {kernel}{rest}'
                commands.setdefault(Path(own, 'pictures', f'{picture}.svg'), command)
    return commands


class Book:
    def __init__(self, out, chapters, repository):
        self.out, self.repository = out, repository
        self.pages = pages_of_the_course()
        self.texts = {page: (COURSE / page).read_text('utf-8') for page in self.pages}
        self.below = contents(self.pages, chapters, self.texts)
        self.pictures = commands_of_pictures(self.pages, self.texts)
        self.copied = set()  # files of the course, and their places in `out`

    def link(self, target, page, place):
        """Where a link of a page leads from the copy of the page `place`."""
        if target.startswith('#') or re.match('[a-z]+:', target):
            return target
        path, anchor = resolved(target, page)
        if not (COURSE / path).exists():
            sys.exit(f'{page} links to {target}, which is not there.')
        if path / 'README.md' in self.texts:
            path = path / 'README.md'
        anchor = anchor and f'#{anchor}'
        if page.parts[0] != 'simulator' and not anchor:
            if path == PLAYGROUND and os.environ.get('BOOK_PLAYGROUND'):
                return 'files:' + os.path.relpath('playground.html', place.parent)
            path = Path('README.md') if path == BOOK else path
        if path in self.texts:
            return os.path.relpath(staged(path), place.parent) + anchor
        if self.repository:
            return f'{self.repository}/{"tree" if (COURSE / path).is_dir() else "blob"}/main/{path}{anchor}'
        file = Path('files', path if path.suffix == '.svg' else f'{path}.txt')
        self.copied.add((path, Path('extra', file)))
        return 'files:' + os.path.relpath(file, place.parent)

    def titled(self, match, page):
        """A link whose words name a file, with the words of a page instead."""
        path = None if re.match('[a-z]+:', match['target']) else resolved(match['target'], page)[0]
        if path not in self.texts:
            return match[0]
        title = ''.join(re.match(r'# (\d\d )?(?:- )?(.*)', self.texts[path]).groups(''))
        return f'[{title}]({match["target"]}{match["anchor"] or ""})'

    @staticmethod
    def row(match):
        if match['start']:
            door = '<a class="break" href="playground.html#step=luck">Break it yourself</a>' if os.environ.get('BOOK_PLAYGROUND') else ''
            return f'<div class="start">\n\n{match[0].split(" or ")[0] if door else match[0]} {door}\n</div>\n'
        needs = ''.join(f'- {" ".join(each.split())}\n' for each in match[0].split(' |'))
        return f'<div class="needs">\n\n{needs}\n</div>\n'

    def prose(self, text, page, place):
        def rewritten(match):
            if match['target']:
                return f']({self.link(match["target"], page, place)})'
            if not match['image']:
                return match[0]
            path, _ = resolved(match['image'], page)
            self.copied.add((path, Path('pages', path)))
            image = match[0].replace(f'({match["image"]})', f'({os.path.relpath(path, place.parent)})')
            if path == RACE:
                awaited = ' awaited' if os.environ.get('BOOK_LIVE') else ''  # book.css keeps its place free
                return f'<div class="race{awaited}">\n\n{image}\n\n</div>'
            command = self.pictures.get(path, '')
            if not command.startswith('build/bin/clcsim '):
                return image
            indent = ' ' * (match.start() - text.rfind('\n', 0, match.start()) - 1)
            return f'<figure class="run" data-command="{escape(command)}">\n\n{indent}{image}\n\n{indent}</figure>'

        text = KIND.sub(r'<span class="chip">\1</span> <span class="chip">\2</span>\n\n', text)
        text = ROWS.sub(self.row, NAMED.sub(lambda match: self.titled(match, page), ELSEWHERE.sub('', text)))
        return LINK.sub(rewritten, text)

    def converted(self, page, place):
        """The text of a page, for the copy of the page `place`."""
        text = ''
        command = None  # of the mark before a block
        for code, piece in blocks(self.texts[page]):
            if code and command:
                text += f'<div class="run-output" data-command="{escape(command)}">\n\n{piece}\n</div>\n'
            else:
                text += piece if code else self.prose(piece, page, place)
            mark = re.search(r'^<!-- output of: (.*) -->\n\Z', piece, re.MULTILINE)
            command = None if code or not mark else mark[1]
        return text

    def with_answers(self, page):
        text = self.converted(page, page)
        key = re.search(r'\[answers\]\(([^)]*)\)', self.texts[page])
        answers = key and resolved(key[1], page)[0]
        if answers not in self.texts:
            return text
        head, *questions = NUMBERED.split(text.replace('Answer on paper.', 'Write your answers into the fields.').replace('are on another page', 'are folded below each question'))
        _, *answers = NUMBERED.split(self.converted(answers, page))
        if [each.split()[0] for each in questions] != [each.split()[0] for each in answers]:
            sys.exit(f'{page} has other questions than its page of answers.')
        for question, answer in zip(questions, answers):
            head += f'{question}\n<details class="quiz-answer"><summary>answer</summary>\n\n{answer}\n</details>\n\n'
        return head

    def hidden_contents(self, page):
        groups = {}
        for each in self.below[page]:
            group = {'common': 'Course', 'simulator': 'clcsim'}.get(each.parts[0], 'Chapters' if len(each.parts) > 1 else 'Course')
            groups.setdefault(group if page == Path('README.md') else '', []).append(each)
        text = ''
        for caption, children in groups.items():
            text += f'\n\n```{{toctree}}\n:hidden:\n' + (f':caption: {caption}\n' if caption else '') + '\n'
            text += ''.join(os.path.relpath(staged(each), page.parent)[:-3] + '\n' for each in children) + '```\n'
        return text

    def write(self):
        for page in self.pages:
            place = self.out / 'pages' / staged(page)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = self.with_answers(page)
            if not os.environ.get('BOOK_LACKS'):
                text = BEGIN.sub('You can do most of them in their page.', text)
            if page.parent.name == 'exercises' and not os.environ.get('BOOK_LACKS'):
                folded = r'<details class="machine"><summary>On your machine</summary>\n\n\1\3</details>\n\n'
                text = MACHINE.sub(rf'\2\n{folded}', text)
            if page.stem == 'answers':  # the search would give them away
                text = f'---\nnosearch: true\n---\n{text}'
            place.write_text(text + self.hidden_contents(page), 'utf-8')
        (self.out / 'extra').mkdir(exist_ok=True)
        for path, place in self.copied:
            source, place = COURSE / path, self.out / place
            place.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                place.write_text(''.join(f'{each.name}\n' for each in sorted(source.iterdir())), 'utf-8')
            else:
                shutil.copyfile(source, place)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('out', type=Path)
    parser.add_argument('chapters', nargs='+')
    parser.add_argument('--repository', default='')
    arguments = parser.parse_args()
    shutil.rmtree(arguments.out, ignore_errors=True)
    Book(arguments.out, arguments.chapters, arguments.repository).write()


if __name__ == '__main__':
    main()
