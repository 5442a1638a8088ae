import type { StateBlock } from 'markdown-it';

const columnsMax = 50;
/** Of all tables of one text. Written out, each cell takes a mark, of which a text has at most as many. */
const cellsMax = 2500;

/**
 * Shows a table as text if it has too many columns or cells. Every row is completed to the number of columns: a table
 * counts by the cells that it becomes, not by its characters.
 */
export function flattenLargeTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || startLine + 1 >= endLine) return false;
  const columns = columnsOf(lineOf(state, startLine + 1));
  if (columns === null || !lineOf(state, startLine).includes('|')) return false;
  let end = startLine + 2;
  while (end < endLine && lineOf(state, end) !== '') end += 1;
  const env = state.env as { cells?: number };
  const cells = (env.cells ?? 0) + columns * (end - startLine - 1);
  if (columns <= columnsMax && cells <= cellsMax) {
    env.cells = cells;
    return false;
  }
  state.push('paragraph_open', 'p', 1);
  const inline = state.push('inline', '', 0);
  inline.content = state.getLines(startLine, end, state.blkIndent, false).trim();
  inline.map = [startLine, end];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = end;
  return true;
}

/** The columns of the row of dashes under a table's head; null if the line is none. */
function columnsOf(line: string): number | null {
  if (!line.includes('-') || !/^[-:|\s]+$/.test(line)) return null;
  return line.split('|').filter(column => column.trim() !== '').length;
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trim();
}
