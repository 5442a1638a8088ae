import { cut, type Ink, type Paint, visible, widthOf } from './text.ts';

/** A value of a table, and its color on terminals that have any. */
export type Cell = string | { text: string; ink: Ink };

const gap = 2;
const narrowest = 6;

/** Pure: lines of aligned columns that fit the width: the widest columns are cut. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number,
  paint: Paint,
): string[] {
  const texts = [header, ...rows].map(row => row.map(cell => visible(textOf(cell))));
  const widths = fitting(
    header.map((_, column) => Math.max(...texts.map(row => widthOf(row[column] ?? '')))),
    width,
  );
  return texts.map((row, index) => {
    const cells = row.map((text, column) => {
      const room = widths[column] ?? 0;
      const shown = cut(text, room);
      const padding = column === row.length - 1 ? '' : ' '.repeat(room - widthOf(shown) + gap);
      const cell = index === 0 ? undefined : rows[index - 1]?.[column];
      const ink = index === 0 ? 'dim' : typeof cell === 'object' ? cell.ink : null;
      return `${ink === null ? shown : paint(shown, ink)}${padding}`;
    });
    return cells.join('').trimEnd();
  });
}

/** Pure: a row for programs: whole, separated by tabs, without a line feed or tab of its own. */
export function plainLine(row: readonly Cell[]): string {
  return row.map(cell => visible(textOf(cell))).join('\t');
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

/** Pure: takes from the widest columns until all of them fit. */
function fitting(widths: readonly number[], width: number): number[] {
  const fitted = [...widths];
  for (;;) {
    const total = fitted.reduce((sum, one) => sum + one, 0) + gap * (fitted.length - 1);
    const widest = Math.max(...fitted);
    if (total <= width || widest <= narrowest) return fitted;
    fitted[fitted.indexOf(widest)] = widest - 1;
  }
}
