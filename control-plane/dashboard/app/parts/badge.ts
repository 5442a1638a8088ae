import { type Glyph, glyphs } from '../../../design/icons.ts';
import type { Look } from '../../../design/looks.ts';
import { type Description, element } from '../dom/element.ts';

/** How a state looks. Colour, shape and label always appear together, so that none is needed alone. */
export type Presentation = Look & { readonly label: string };

export function shape(name: Glyph): Description {
  const path = element('path', { d: glyphs[name], 'fill-rule': 'evenodd' });
  return element('svg', { class: 'shape', viewBox: '0 0 16 16', 'aria-hidden': 'true' }, path);
}

export function badge({ tone, glyph, label }: Presentation): Description {
  return element('span', { class: `badge ${tone}` }, shape(glyph), element('span', {}, label));
}
