import { type IconPart, toneIcons } from '../../../platform/design/icons.ts';
import { type Tone, tones } from '../../../platform/design/tones.ts';
import { type Html, html, trusted } from '../../../platform/markup/html.ts';

/** Every icon once, invisible, for `icon` to refer to; each page contains it once. */
export function iconDefinitions(): Html {
  const symbols = tones.map(tone => {
    const { outline, sign } = toneIcons[tone];
    const parts = html`<g class="shape">${partOf(outline)}</g><g class="sign">${partOf(sign)}</g>`;
    return html`<symbol id="i-${tone}" viewBox="0 0 20 20">${parts}</symbol>`;
  });
  return html`<svg class="defs" width="0" height="0" aria-hidden="true">${symbols}</svg>`;
}

/** The shape of a tone, hidden from screen readers: text always stands beside it. */
export function icon(tone: Tone): Html {
  return html`<svg class="icon t-${tone}" viewBox="0 0 20 20" aria-hidden="true"><use href="#i-${tone}"/></svg>`;
}

/** Icon and text in the colour of the tone. */
export function iconLabel(tone: Tone, text: string): Html {
  return html`<span class="label t-${tone}">${icon(tone)}${text}</span>`;
}

/** Tag and attribute names are ours, so that only values need escaping. */
export function partOf([tag, attributes]: IconPart): Html {
  const written = Object.entries(attributes).map(([name, value]) => html` ${trusted(name)}="${value}"`);
  return html`<${trusted(tag)}${written}/>`;
}
