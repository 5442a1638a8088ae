import type { Subscriber } from './api-types.ts';

/** What a file of addresses holds. */
export type ReadAddresses = {
  emails: string[];
  /** Lines that hold no address, with their numbers. */
  refused: { line: number; text: string }[];
  /** Addresses that stand in the file again. */
  repeated: number;
};

export const importChunk = 1000;
const linesMax = 100_000;

/** Reads addresses, one a line, or the column `email` of a file with commas, semicolons or tabs between columns. */
export function readAddresses(text: string): ReadAddresses {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .slice(0, linesMax);
  const head = cellsOf(lines[0] ?? '').map(cell => cell.toLowerCase());
  const named = head.findIndex(cell => ['email', 'e-mail', 'email address', 'mail'].includes(cell));
  const found = new Set<string>();
  const read: ReadAddresses = { emails: [], refused: [], repeated: 0 };
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '' || (index === 0 && named >= 0)) continue;
    const cells = cellsOf(line);
    const email = (named >= 0 ? cells[named] : cells.find(cell => cell.includes('@'))) ?? '';
    if (!/^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>"]+$/.test(email) || email.length > 254)
      read.refused.push({ line: index + 1, text: line.trim().slice(0, 80) });
    else if (found.has(email.toLowerCase())) read.repeated += 1;
    else {
      found.add(email.toLowerCase());
      read.emails.push(email);
    }
  }
  return read;
}

function cellsOf(line: string): string[] {
  const cells = line.match(/("(?:[^"]|"")*"|[^,;\t]*)(?=[,;\t]|$)/g) ?? [];
  return cells.map(cell =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .replaceAll('""', '"')
      .trim(),
  );
}

/** The subscribers as CSV. A cell that a spreadsheet would calculate begins with an apostrophe. */
export function subscribersCsv(subscribers: readonly Subscriber[]): string {
  const rows = subscribers.map(({ channel, email, url, state, consent, created_at, confirmed_at, component_ids }) => [
    ...[email ?? url ?? '', channel, state, created_at, confirmed_at ?? '', consent ?? '', component_ids.join(' ')],
  ]);
  const head = ['email', 'channel', 'state', 'created_at', 'confirmed_at', 'consent', 'component_ids'];
  return [head, ...rows].map(row => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
