// For search.html, before Sphinx's searchtools.js: a page is found with the section that says most of what is wanted
// (sections.js, which conf.py writes), and chapters come first.
const kTogether = 5, kInTitle = 3, kTaught = 8, kMost = 5;  // points; a word that is explained is bold
const chapterPoints = (page) => /^0[12346]_\w+\/index$/.test(page) ? 20 - 2 * page[1] : 0;  // 05 has the mistakes

const wanted = (new URLSearchParams(location.search).get('q') ?? '').toLowerCase().match(/[\w:.]{2,}/g) ?? [];

function pointsOf([, title, text, bold]) {
  const inTitle = wanted.filter((word) => title.toLowerCase().includes(word)).length,
        taught = wanted.filter((word) => bold.includes(word)).length,
        inText = wanted.map((word) => text.split(word).length - 1), known = inText.filter(Boolean).length;
  return kTogether * known + kInTitle * inTitle + kTaught * taught +
      Math.min(kMost, inText.reduce((sum, each) => sum + each, 0));
}

var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score(result) {
    const [page, title, anchor, , score] = result, chapter = chapterPoints(page);
    const [head, ...all] = sections[page] ?? [];
    const best = all.reduce((a, b) => pointsOf(b) > pointsOf(a) ? b : a, head);
    if (anchor || !best) return score + chapter;
    if (best !== head) [result[1], result[2]] = [`${title} > ${best[1]}`, `#${best[0]}`];
    return score + chapter + pointsOf(best);
  }
};
