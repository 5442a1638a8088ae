import type { ShownStatus } from '../../components/status.ts';
import type { PageModel } from '../page-model.ts';
import { allowedText, escapeText } from './escape.ts';
import { light } from './palette.ts';
import { headlineOf, type Tone } from './words.ts';

const words: Record<ShownStatus, string> = {
  operational: 'operational',
  degraded_performance: 'degraded',
  partial_outage: 'partial outage',
  major_outage: 'major outage',
  under_maintenance: 'maintenance',
  unknown: 'no data',
};
const charactersMax = 40;
const label = '#3d444d';

/** The page in one small picture, for READMEs and dashboards. */
export function renderBadge(model: PageModel): string {
  const headline = headlineOf(model);
  const name = shortened(model.page.name.trim() || 'Status');
  const status = headline.tone === 'note' ? 'incident' : words[headline.status];
  const left = widthOf(name);
  const right = widthOf(status);
  const middle = left + 20;
  const width = middle + right + 34;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="24" viewBox="0 0 ${width} 24" role="img" aria-label="${escapeText(`${name}: ${status}`)}">
<title>${escapeText(`${name}: ${headline.text}`)}</title>
<clipPath id="r"><rect width="${width}" height="24" rx="5"/></clipPath>
<g clip-path="url(#r)"><path fill="${label}" d="M0 0h${middle}v24H0z"/><path fill="${badgeColours[headline.tone]}" d="M${middle} 0h${width - middle}v24H${middle}z"/></g>
<g transform="translate(${middle + 9} 7)" fill="none" stroke="#fff" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round">${signs[headline.tone]}</g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11"><text x="10" y="16" textLength="${left}" lengthAdjust="spacingAndGlyphs">${escapeText(name)}</text><text x="${middle + 24}" y="16" textLength="${right}" lengthAdjust="spacingAndGlyphs">${status}</text></g></svg>
`;
}

/** Dark enough for white words. */
export const badgeColours = Object.fromEntries(
  Object.entries(light.tones).map(([tone, { ink }]) => [tone, ink]),
) as Record<Tone, string>;

const signs: Record<Tone, string> = {
  ok: '<path d="m1 5.5 3 3 5-6.5"/>',
  slow: '<path d="M.5 6q2.25-4 4.5-1t4.5-1"/>',
  part: '<path d="M5 1v5M5 9v.1"/>',
  down: '<path d="m1.5 1.5 7 7m0-7-7 7"/>',
  work: '<path d="M3 1v8M7 1v8"/>',
  none: '<path d="M1 5h8"/>',
  note: '<path d="M5 4.5v4.5M5 1v.1"/>',
};

function shortened(text: string): string {
  const points = [...allowedText(text).replaceAll(/\s+/g, ' ')];
  return points.length <= charactersMax ? points.join('') : `${points.slice(0, charactersMax - 1).join('')}…`;
}

/**
 * Width in Verdana at 11 px. The text is then set to exactly this width (`textLength`), so that it fits in whatever font the
 * reader has; the measure only has to be near enough that letters are not squeezed.
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
