import { escapeText } from './escape.ts';

/** Markup that a document may contain as it is. Only `html` and `trusted` make it. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Values for holes: text is escaped, markup is not, lists are joined; null, undefined and false become nothing. */
export type MarkupHole = string | number | Html | null | undefined | false | readonly MarkupHole[];

/**
 * A piece of HTML, SVG or XML. A hole may be between tags or in a quoted attribute: its text is escaped for both. Holes
 * in tag names, unquoted attributes, scripts and styles are not safe.
 */
export function html(strings: TemplateStringsArray, ...holes: readonly MarkupHole[]): Html {
  let text = strings[0] ?? '';
  for (const [index, hole] of holes.entries()) text += markupOf(hole) + (strings[index + 1] ?? '');
  return new Html(text);
}

/** Markup of ours, or made safe elsewhere (Markdown, a style sheet). Never for text from outside. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** Pieces of markup, one a line. */
export function joinLines(pieces: readonly Html[]): Html {
  return new Html(pieces.join('\n'));
}

function markupOf(hole: MarkupHole): string {
  if (hole === null || hole === undefined || hole === false) return '';
  if (typeof hole === 'string') return escapeText(hole);
  if (typeof hole === 'number') return String(hole);
  if (hole instanceof Html) return hole.toString();
  return hole.map(markupOf).join('');
}
