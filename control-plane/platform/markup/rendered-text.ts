import { parseMarkdown, plainText } from './markdown.ts';

/** A Markdown text as it is stored beside its source: rendered once, used wherever it is shown. */
export type RenderedText = {
  /** Its headings start at level one. */
  html: string;
  /** The beginning of its text without markup, one block a line. */
  excerpt: string;
};

/** Goes up when the same text has to become other HTML: stored texts are then rendered again. */
export const markupVersion = 1;

const excerptCharactersMax = 300;

export function renderText(markdown: string): RenderedText {
  return { html: parseMarkdown(markdown), excerpt: cut(plainText(markdown), excerptCharactersMax) };
}

/** At most `charactersMax` characters, the last one an ellipsis if some are left out. */
export function cut(text: string, charactersMax: number): string {
  const characters = [...text.slice(0, 2 * charactersMax + 2)];
  if (characters.length <= charactersMax) return text;
  return `${characters
    .slice(0, charactersMax - 1)
    .join('')
    .trimEnd()}…`;
}
