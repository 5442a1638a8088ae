import csv from 'papaparse';
import type { Subscriber } from '../../../session/api-types.ts';

/** An address of a file; `state` is `active` unless a column says otherwise. */
export type ReadAddress = { email: string; state: Subscriber['state']; line: number };

/** What a file of addresses holds. */
export type ReadAddresses = {
  addresses: ReadAddress[];
  /** Lines that are not imported, with their numbers. */
  refused: RefusedLine[];
  /** Addresses that stand in the file again. */
  repeated: number;
};
export type RefusedLine = { line: number; text: string };

export const importChunk = 1000;
const linesMax = 100_000;
const shownMax = 80;

type Row = { line: number; cells: string[] };
/** Where a file has what; -1: nowhere. */
type Columns = { email: number; state: number; channel: number };

const emailNames = ['email', 'e-mail', 'email address', 'mail'];
const stateNames = ['state', 'status'];

/** Values of a column with states, ours and those of common lists. */
const states: ReadonlyMap<string, Subscriber['state']> = new Map([
  ['', 'active'],
  ['active', 'active'],
  ['subscribed', 'active'],
  ['confirmed', 'active'],
  ['pending', 'pending'],
  ['unconfirmed', 'pending'],
  ['unsubscribed', 'unsubscribed'],
  ['quarantined', 'quarantined'],
]);

/** Reads addresses, one a line, or the column `email` of a file with commas, semicolons or tabs between columns. */
export function readAddresses(text: string): ReadAddresses {
  const rows = rowsOf(text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n'));
  const columns = columnsOf(rows[0]?.cells ?? []);
  const read: ReadAddresses = { addresses: [], refused: [], repeated: 0 };
  const found = new Set<string>();
  for (const row of columns.email < 0 ? rows : rows.slice(1)) {
    const address = row.line > linesMax ? null : addressOf(row, columns);
    if (address === null) read.refused.push({ line: row.line, text: row.cells.join(', ').slice(0, shownMax) });
    else if (found.has(address.email.toLowerCase())) read.repeated += 1;
    else {
      found.add(address.email.toLowerCase());
      read.addresses.push(address);
    }
    if (row.line > linesMax) break;
  }
  return read;
}

/** Rows with content. From a quotation mark that is misplaced, or never closed, on, each line is read by itself. */
function rowsOf(text: string): Row[] {
  const delimiter = delimiterOf(text);
  const rows: Row[] = [];
  let [at, line] = [0, 1];
  const take = (isQuoted: boolean) => {
    const from = at;
    csv.parse<string[]>(isQuoted ? text : text.slice(from), {
      delimiter,
      newline: '\n',
      fastMode: !isQuoted,
      step: ({ data, errors, meta }, parser) => {
        if (errors.some(({ type }) => type === 'Quotes')) return parser.abort();
        const cells = data.map(cell => (isQuoted ? cell : cell.trim().replace(/^"(.*)"$/, '$1')).trim());
        if (cells.some(cell => cell !== '')) rows.push({ line, cells });
        const end = meta.cursor + (isQuoted ? 0 : from);
        line += countLines(text, at, end);
        at = end;
        if (line > linesMax + 1) parser.abort();
      },
    });
  };
  take(true);
  if (at < text.length && line <= linesMax + 1) take(false);
  return rows;
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** What stands between columns: what the first line with content has most of outside of quotation marks. */
function delimiterOf(text: string): string {
  const first = /[^\s].*/.exec(text)?.[0].replace(/"[^"]*"/g, '') ?? '';
  const counts = [',', ';', '\t'].map(mark => ({ mark, count: first.split(mark).length }));
  return counts.reduce((most, next) => (next.count > most.count ? next : most)).mark;
}

function columnsOf(head: readonly string[]): Columns {
  const names = head.map(cell => cell.toLowerCase());
  const find = (wanted: readonly string[]) => names.findIndex(name => wanted.includes(name));
  const email = find(emailNames);
  return email < 0 ? { email, state: -1, channel: -1 } : { email, state: find(stateNames), channel: find(['channel']) };
}

/** Null if the row has no address, several of them without a head that says which, or a state that is not known. */
function addressOf({ line, cells }: Row, columns: Columns): ReadAddress | null {
  const candidates = columns.email < 0 ? cells.filter(cell => cell.includes('@')) : [cells[columns.email] ?? ''];
  const email = withoutGuard(candidates[0] ?? '');
  const state = states.get((cells[columns.state] ?? '').toLowerCase());
  const isEmail = /^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>"]+$/.test(email) && email.length <= 254;
  if (candidates.length !== 1 || !isEmail || state === undefined || cells[columns.channel] === 'webhook') return null;
  return { email, state, line };
}

/** The subscribers as CSV. A cell that a spreadsheet would calculate begins with an apostrophe. */
export function subscribersCsv(subscribers: readonly Subscriber[]): string {
  const rows = subscribers.map(({ channel, email, url, state, consent, created_at, confirmed_at, component_ids }) => [
    ...[email ?? url ?? '', channel, state, created_at, confirmed_at ?? '', consent ?? '', component_ids.join(' ')],
  ]);
  const head = ['email', 'channel', 'state', 'created_at', 'confirmed_at', 'consent', 'component_ids'];
  return [head, ...rows].map(row => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** One apostrophe more, where there are some already: the import takes off one. */
const calculated = /^'*[=+\-@\t\r]/;

function csvCell(text: string): string {
  const safe = calculated.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function withoutGuard(cell: string): string {
  return cell.startsWith("'") && calculated.test(cell) ? cell.slice(1) : cell;
}
