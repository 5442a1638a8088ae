import { setTimeout as wait } from 'node:timers/promises';
import { ProblemError } from '../connection/problem.ts';
import type { Session } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { CommandError, UsageError } from '../frame/failure.ts';
import { type Output, openOutput } from './output.ts';
import { type EventRecord, recordsOf } from './records.ts';

const againMs = 1000;
/** Longer than the server waits for a reader that is gone before another export may begin. */
const patienceMs = 150_000;

export const exportEventsCommand: Command = {
  name: 'events export',
  summary: 'Export the events of a range of time, oldest first: a line of JSON each, or CSV',
  flags: [
    { name: 'from', value: 'TIME', summary: 'the first instant' },
    { name: 'to', value: 'TIME', summary: 'the end of the range, at most 92 days later' },
    { name: 'types', value: 'LIST', summary: 'only these: track,error' },
    { name: 'name', value: 'NAME', summary: 'only events of this name' },
    { name: 'csv', summary: 'as CSV' },
    { name: 'out', short: 'o', value: 'FILE', summary: 'write to a file; one that broke off is continued' },
  ],
  notes: [
    'A connection that breaks is made again. The last line of JSON says that the export is complete, and its `count`.',
    'Another range needs another file.',
  ],
  examples: ['upquorum events export --from 2026-11-01 --to 2026-12-01 -o november.ndjson'],
  run: async ({ connect, terminal, value, required, has }) => {
    const query = new URLSearchParams({ from: instantOf(required('from')), to: instantOf(required('to')) });
    for (const name of ['types', 'name']) {
      const given = value(name);
      if (given !== null) query.set(name, given);
    }
    const session = await connect();
    const file = value('out');
    await using output = await openOutput(terminal, file, has('csv'));
    if (output.isComplete) return terminal.note(`${file} is complete: it has ${output.count} events.`);
    if (output.count > 0) terminal.note(`Going on after ${output.count} events.`);
    const received = receiveAll(session, query, has('csv'), output);
    // Events on a terminal show themselves how far it is.
    const isShown = file === null && (terminal.isRead || terminal.isJson);
    await (isShown ? received : terminal.during(() => `${output.count} events`, received));
    if (file !== null) terminal.note(`Written to ${file}: ${output.count} events.`);
  },
};

async function receiveAll(session: Session, query: URLSearchParams, isCsv: boolean, output: Output): Promise<void> {
  let hasHeader = output.last !== null;
  const take = async ({ id, text }: EventRecord) => {
    if (id === null && hasHeader) return;
    hasHeader = true;
    if (id !== null) {
      output.last = id;
      output.count += 1;
    }
    await output.write(text);
  };
  for (let brokenMs = performance.now(); ; ) {
    const before = output.count;
    if (await receive(session, query, isCsv, output.last, take)) break;
    if (output.count > before) brokenMs = performance.now();
    if (performance.now() - brokenMs > patienceMs)
      throw new CommandError('the export broke off', 'The same command with --out goes on.');
    await wait(againMs);
  }
  if (!isCsv) await output.write(`${JSON.stringify({ complete: true, count: output.count })}\n`);
}

/** Everything of one answer after an event. True if it is complete: it did not break off. */
async function receive(
  { fetch }: Session,
  query: URLSearchParams,
  isCsv: boolean,
  after: string | null,
  take: (record: EventRecord) => Promise<void>,
): Promise<boolean> {
  const asked = new URLSearchParams({ ...Object.fromEntries(query), ...(after === null ? {} : { after }) });
  const headers = { Accept: isCsv ? 'text/csv' : 'application/x-ndjson' };
  try {
    return await recordsOf(await fetch('GET', `/v0/events/export?${asked}`, { headers }), isCsv, take);
  } catch (error) {
    // The server does not know yet that the reader of before is gone.
    if (error instanceof ProblemError && error.status === 429 && after !== null) return false;
    throw error;
  }
}

function instantOf(text: string): string {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new UsageError(`${text} is no time`, 'Such as 2026-11-01T00:00:00Z, or 2026-11-01');
  return new Date(ms).toISOString();
}
