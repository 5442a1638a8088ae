import type { Tone } from './words.ts';

/** A shape of its own for each tone, on a field of 20 × 20: who sees no colours still sees which it is. */
const shapes: Record<Tone, readonly [shape: string, sign: string]> = {
  ok: ['<circle cx="10" cy="10" r="9"/>', '<path d="m6 10.4 2.8 2.8L14.2 7.4"/>'],
  slow: ['<path d="M10 .8 19.2 10 10 19.2.8 10z"/>', '<path d="M5.8 11q2.1-3 4.2-1t4.2-1"/>'],
  part: ['<path d="M10 1.2 19.4 18.4H.6z"/>', '<path d="M10 7.4v4.8M10 15.3v.1"/>'],
  down: ['<path d="M6.2 1h7.6L19 6.2v7.6L13.8 19H6.2L1 13.8V6.2z"/>', '<path d="m7 7 6 6m0-6-6 6"/>'],
  work: ['<rect x="1.2" y="1.2" width="17.6" height="17.6" rx="4"/>', '<path d="M7.6 6.4v7.2M12.4 6.4v7.2"/>'],
  none: ['<circle class="ring" cx="10" cy="10" r="8"/>', '<path class="ink" d="M6.2 10h7.6"/>'],
  note: ['<circle cx="10" cy="10" r="9"/>', '<path d="M10 9.4v4.6M10 6v.1"/>'],
};

/** All shapes once a page, for `icon` to refer to. */
export function iconDefinitions(): string {
  const symbols = Object.entries(shapes).map(
    ([tone, [shape, sign]]) =>
      `<symbol id="i-${tone}" viewBox="0 0 20 20"><g class="shape">${shape}</g><g class="sign">${sign}</g></symbol>`,
  );
  return `<svg class="defs" width="0" height="0" aria-hidden="true">${symbols.join('')}</svg>`;
}

/** The shape alone: words always stand beside it. */
export function icon(tone: Tone): string {
  return `<svg class="icon t-${tone}" viewBox="0 0 20 20" aria-hidden="true"><use href="#i-${tone}"/></svg>`;
}

/** Shape and words. */
export function label(tone: Tone, words: string): string {
  return `<span class="label t-${tone}">${icon(tone)}${words}</span>`;
}
