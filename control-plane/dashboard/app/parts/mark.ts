import { type Description, element } from '../dom/element.ts';

/** The product's logo: three regions, of which two agree. */
export function mark(): Description {
  const circle = (cx: number, cy: number, faint: boolean) =>
    element('circle', { cx, cy, r: 4, class: faint ? 'faint' : null });
  return element(
    'svg',
    { class: 'mark', viewBox: '0 0 32 32', 'aria-hidden': 'true' },
    element('rect', { width: 32, height: 32, rx: 8 }),
    circle(16, 9, false),
    circle(9, 21, false),
    circle(23, 21, true),
  );
}
