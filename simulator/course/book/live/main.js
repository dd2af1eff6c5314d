// What lives in a page of the book: live.js, which every page loads. The build has put what it knows of the pages'
// commands into clcBook: which runs are recorded, and which the engine can repeat.
import {offerCopies} from './copy.js';
import {offerExercises} from './exercise.js';
import {playFigures} from './figure.js';
import {holdJumps} from './hold.js';
import {load} from './load.js';
import {linkLoops} from './loop.js';
import {offerRuns} from './output.js';
import {pairForms} from './pair.js';
import {offerQuiz} from './quiz.js';

holdJumps();
const race = document.querySelector('.race');
if (race) load('race.js').catch(() => race.classList.remove('awaited'));  // the picture stays
playFigures(clcBook.runs);
offerRuns(clcBook.outputs, clcBook.small);
pairForms(clcBook.pitfalls);
linkLoops(clcBook.loops, clcBook.runs);
offerExercises(clcBook.numbered);
offerQuiz();
offerCopies();
