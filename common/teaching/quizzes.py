#!/usr/bin/env python3
"""Writes the three quizzes to print, each in two versions with the questions in another order, and their answers for you:

    python3 common/teaching/quizzes.py [--without 1.8,1.10] [FOLDER]     default: build/quizzes

--without leaves questions out: 1.8 is question 8 of quiz 1; the final quiz is 3. No answer stands in quiz_*.html.
"""
import html
import pathlib
import random
import re
import sys

COURSE = pathlib.Path(__file__).resolve().parents[2]
QUIZZES = {"quiz_1": ("03_clc_basic/quiz.md", "answers_quiz_1.md"), "quiz_2": ("06_for_each_canceled_block/quiz.md", "answers_quiz_2.md"),
           "final_quiz": ("common/FINAL_QUIZ.md", "answers_final_quiz.md")}
STYLE = """<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>
@page{size:A4;margin:15mm}body{font:12pt/1.4 sans-serif;max-width:180mm;margin:auto;color:#000;background:#fff}h1{font-size:1.4em}
li{break-inside:avoid;margin:0 0 1em}p{margin:.3em 0}code,pre{font-size:.85em}pre{white-space:pre-wrap;border:1px solid #999;padding:.4em}
hr{border:0;border-bottom:1px solid #777;height:1.7em;margin:0}.name{margin:1em 0 1.5em}
</style>
"""


def stop(sentence):
    sys.exit(f"quizzes.py: {sentence}")


def numbered(page):
    """{number: text} of what begins with **number.**"""
    parts = re.split(r"^\*\*(\d+)\.\*\* ", (COURSE / page).read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(map(int, parts[1::2]), parts[2::2]))


def as_html(text):
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
    out = []
    for part in re.split(r"^(```.*?^```)$", text.strip(), flags=re.M | re.S):
        if part.startswith("```"):
            out.append(f"<pre>{html.escape(part.partition(chr(10))[2][:-4])}</pre>")
            continue
        for paragraph in filter(None, map(str.strip, re.split(r"\n\s*\n", part))):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", html.escape(paragraph, quote=False))
            words = re.sub(r"`([^`]*)`", r"<code>\1</code>", words)
            words = re.sub(r"[*]+([^*]+)[*]+", r"<em>\1</em>", words)
            out.append(f"<p>{words}</p>")
    return "\n".join(out)


def main(words):
    left_out = set()
    if words[:1] == ["--without"] and len(words) > 1:
        left_out = set(words[1].split(","))
        words = words[2:]
    if len(words) > 1 or any(word.startswith("-") for word in words):
        stop("give a folder, or none: quizzes.py [--without 1.8,1.10] [FOLDER]")
    known = {f"{count}.{number}" for count, (page, _) in enumerate(QUIZZES.values(), 1) for number in numbered(page)}
    if left_out - known:
        stop(f"there is no question {sorted(left_out - known)[0]}")
    to = pathlib.Path(words[0]) if words else COURSE / "build/quizzes"
    to.mkdir(parents=True, exist_ok=True)
    for count, (name, (page, keys)) in enumerate(QUIZZES.items(), 1):
        questions, answers = numbered(page), numbered(f"common/teaching/{keys}")
        title = (COURSE / page).read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")
        order = [number for number in questions if f"{count}.{number}" not in left_out]
        for version in "ab":
            head = f"<!doctype html><html lang=en><title>{title} ({version})</title>{STYLE}<h1>{title} ({version})</h1>\n"
            asked = "".join(f"<li>{as_html(questions[number])}{'<hr>' * 5}\n" for number in order)
            (to / f"{name}_{version}.html").write_text(
                f"{head}<p>{len(order)} questions, a point each; the parts of a question share its point.\n"
                f"<p class=name>Name: ____________________________  Points: ______\n<ol>{asked}</ol></html>\n", encoding="utf-8")
            told = "".join(f"<li>(question {number} of the page){as_html(questions[number])}{as_html(answers[number])}\n" for number in order)
            (to / f"answers_{name}_{version}.html").write_text(f"{head}<p>The answers, for the teacher.\n<ol>{told}</ol></html>\n", encoding="utf-8")
            order = random.Random(name).sample(order, len(order))  # each time the same
    print(f"{to}: quiz_1, quiz_2 and final_quiz, each as _a.html and _b.html, and answers_... for you")


if __name__ == "__main__":
    main(sys.argv[1:])
