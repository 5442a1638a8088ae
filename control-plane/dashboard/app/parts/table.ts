import { type Attributes, type Content, type Description, element } from '../dom/element.ts';

/** A table; the caption is for screen readers. */
export function table(
  caption: string,
  columns: readonly string[],
  rows: readonly Description[],
  attributes: Attributes = {},
): Description {
  const heads = columns.map(name => element('th', { scope: 'col' }, name));
  return element(
    'table',
    attributes,
    element('caption', { class: 'unseen' }, caption),
    element('thead', {}, element('tr', {}, heads)),
    element('tbody', {}, rows),
  );
}

/** A cell that carries its column's name, which narrow screens show instead of the head. */
export function cell(column: string, ...content: Content[]): Description {
  return element('td', { 'data-label': column }, content);
}
