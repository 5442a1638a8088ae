import { toneIcons } from '../../../platform/design/icons.ts';
import { toneColours } from '../../../platform/design/tokens.ts';
import type { Tone } from '../../../platform/design/tones.ts';
import { html } from '../../../platform/markup/html.ts';
import { languageOf } from '../locale/language.ts';
import type { PageModel } from '../publish/page-model.ts';
import { headlineOf } from './headline.ts';
import { partOf } from './icons.ts';

/** The page's state as a picture for browser tabs, of pages without a logo that fits there. */
export function renderStateIcon(model: PageModel): string {
  return toneIcon(headlineOf(model, languageOf(model.page.locale).words).tone);
}

/** Shape and colour of a tone. Tabs may be light or dark: the fill can be seen on both. */
export function toneIcon(tone: Tone): string {
  const { outline, sign } = toneIcons[tone];
  const { fill } = toneColours[tone];
  // Missing data is a ring; every other shape is filled.
  const [inside, line, ink] = tone === 'none' ? ['none', fill.light, fill.light] : [fill.light, 'none', '#ffffff'];
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">
<g fill="${inside}" stroke="${line}" stroke-width="2">${partOf(outline)}</g>
<g fill="none" stroke="${ink}" stroke-width="2"
 stroke-linecap="round" stroke-linejoin="round">${partOf(sign)}</g></svg>
`.toString();
}
