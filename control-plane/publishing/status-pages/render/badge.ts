import { smallSigns } from '../../../platform/design/icons.ts';
import { toneColours } from '../../../platform/design/tokens.ts';
import type { Tone } from '../../../platform/design/tones.ts';
import { allowedText } from '../../../platform/markup/escape.ts';
import { html } from '../../../platform/markup/html.ts';
import { languageOf } from '../locale/language.ts';
import type { PageModel } from '../publish/page-model.ts';
import { headlineOf } from './headline.ts';

const charactersMax = 40;
const nameBackground = '#3d444d';

/** The page's name and status as a small SVG picture, for READMEs and dashboards. */
export function renderBadge(model: PageModel): string {
  const { words } = languageOf(model.page.locale);
  const headline = headlineOf(model, words);
  const name = shorten(model.page.name.trim() || words.badge.name);
  const status = headline.tone === 'note' ? words.badge.incident : words.badge[headline.status];
  const left = widthOf(name);
  const right = widthOf(status);
  const middle = left + 20;
  const width = middle + right + 34;
  const text = (x: number, length: number, content: string) =>
    html`<text x="${x}" y="16" textLength="${length}" lengthAdjust="spacingAndGlyphs">${content}</text>`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="24" viewBox="0 0 ${width} 24"
 role="img" aria-label="${name}: ${status}">
<title>${name}: ${headline.text}</title>
<clipPath id="r"><rect width="${width}" height="24" rx="5"/></clipPath>
<g clip-path="url(#r)"><path fill="${nameBackground}" d="M0 0h${middle}v24H0z"/>
<path fill="${badgeColour(headline.tone)}" d="M${middle} 0h${width - middle}v24H${middle}z"/></g>
<g transform="translate(${middle + 9} 7)" fill="none" stroke="#fff"
 stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"><path d="${smallSigns[headline.tone]}"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
${text(10, left, name)}${text(middle + 24, right, status)}</g></svg>
`.toString();
}

/** Dark enough for white text. */
export function badgeColour(tone: Tone): string {
  return toneColours[tone].ink.light;
}

function shorten(text: string): string {
  const characters = [...allowedText(text).replaceAll(/\s+/g, ' ')];
  if (characters.length <= charactersMax) return characters.join('');
  return `${characters.slice(0, charactersMax - 1).join('')}…`;
}

/**
 * Estimated width in Verdana at 11 px. `textLength` then sets the text to exactly this width, so that it fits in any
 * font; the estimate only has to be close enough that letters are not squeezed.
 */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return Math.max(1, Math.ceil(width));
}

function characterWidth(character: string): number {
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) return 0;
  if (/[ijl.,:;'!|I]/.test(character)) return 3.6;
  if (/[frt()[\]{} -]/.test(character)) return 4.8;
  if (/[mwMW@%]/.test(character)) return 10.2;
  if (/\p{Lu}/u.test(character)) return 7.9;
  if (/[\u1100-\u11ff\u2e80-\uffdc\u{1f000}-\u{3ffff}]/u.test(character)) return 11;
  return 6.9;
}
