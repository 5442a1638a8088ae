import { escapeText } from '../../../platform/markup/escape.ts';
import { type Html, html, trusted } from '../../../platform/markup/html.ts';
import { placeHeadings } from '../../../platform/markup/markdown.ts';
import type { Language } from '../locale/language.ts';

/**
 * A text of an operator as it was rendered, with headings from the level on. A table may be wider than the screen: the
 * keyboard can scroll it. Only the renderer writes the tags that are replaced, since it escapes those of the author.
 */
export function renderProse(rendered: string, level: number, { words }: Language): Html {
  const open = `<div class="wide" role="region" tabindex="0" aria-label="${escapeText(words.incident.table)}"><table>`;
  const text = placeHeadings(rendered, level)
    .toString()
    .replaceAll('<table>', open)
    .replaceAll('</table>', '</table></div>');
  return html`<div class="prose" dir="auto">${trusted(text)}</div>`;
}
