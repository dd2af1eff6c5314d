// Buttons that copy a text.
import {element} from '../../../clcsim/player/page/element.js';

/// A button called `name` has been pressed, and says for two seconds what came of it. otherwise(): does something else,
/// and says what.
export async function copy(button, name, text, otherwise) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {  // a page that isn't in front, or not from a secure address
    button.textContent = otherwise();
  }
  setTimeout(() => button.textContent = name, 2000);
}

export function copyButton(text, attributes = {}) {
  const button = element('button', 'Copy', {type: 'button', ...attributes});
  button.addEventListener('click', () => copy(button, 'Copy', text, () => {
                                     getSelection().selectAllChildren(button.parentElement.querySelector('pre'));
                                     return 'Press Ctrl+C';
                                   }));
  return button;
}

/// On code and commands; what a command prints and a diff have none.
export function offerCopies() {
  for (const block of document.querySelectorAll(
           '[class*="highlight-"]:not(.highlight-text, .highlight-diff) > .highlight')) {
    const text = block.querySelector('pre').textContent;
    block.append(copyButton(text, {class: 'live-copy', 'aria-label': 'Copy this code'}));
  }
}
