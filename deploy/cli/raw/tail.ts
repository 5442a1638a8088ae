import { setTimeout as wait } from 'node:timers/promises';
import { readEvents, type ServerEvent } from '../../../control-plane/web/api-client/server-events.ts';
import { dataOf, type Session } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { CommandError } from '../frame/failure.ts';
import type { Terminal } from '../frame/terminal.ts';
import { stateCell, timeText } from '../monitoring/inks.ts';

type Change = { topic: string; ids: readonly string[] | null };
type Line = { id: string | null; name: string; state: string };

const namedMax = 20;
const againMs = 3000;
const silenceMs = 15_000;

export const tailCommand: Command = {
  name: 'tail',
  summary: 'Print what changes, as it changes',
  flags: [{ name: 'topics', value: 'LIST', summary: 'only these: monitors,alerts,incidents' }],
  notes: ['It connects again by itself. With --json each line is an object.'],
  run: async ({ connect, terminal, value }) => {
    const session = await connect();
    const topics = value('topics')?.split(',') ?? null;
    for await (const change of changesOf(session, terminal)) {
      if (topics !== null && !topics.includes(change.topic)) continue;
      const time = new Date().toISOString();
      for (const line of await linesOf(session, change)) {
        if (terminal.isJson) terminal.raw(`${JSON.stringify({ time, topic: change.topic, ...line })}\n`);
        else terminal.row([timeText(time), change.topic, line.name, stateCell(line.state)]);
      }
    }
  },
};

/** What changes, for ever: after a break from where it was. Throws if the server refuses. */
async function* changesOf(session: Session, terminal: Terminal): AsyncGenerator<Change> {
  let lastId = '';
  for (;;) {
    try {
      for await (const { event, id, data } of eventsOf(session, lastId)) {
        if (event === 'change') yield data as Change;
        if (id !== '') lastId = id;
        if (event === 'end') break;
      }
    } catch (error) {
      // A server that is away comes back; one that refuses does not change its mind.
      if (error instanceof CommandError) throw error;
    }
    terminal.note('The connection ended; connecting again.');
    await wait(againMs);
  }
}

/** A stream that is silent for longer than its beats is cut. */
async function* eventsOf(session: Session, lastId: string): AsyncGenerator<ServerEvent> {
  const cut = new AbortController();
  const silence = setTimeout(() => cut.abort(), silenceMs);
  try {
    const { body } = await session.stream('/v0/changes', lastId, cut.signal);
    if (body === null) return;
    for await (const event of readEvents(body)) {
      silence.refresh();
      yield event;
    }
  } finally {
    clearTimeout(silence);
    cut.abort();
  }
}

/** A line for each resource whose name and state are cheap to read, else one for all. */
async function linesOf(session: Session, { topic, ids }: Change): Promise<Line[]> {
  if (ids === null || ids.length > namedMax || ids.length === 0)
    return [{ id: null, name: ids === null ? 'many' : String(ids.length), state: '' }];
  return Promise.all(ids.map(id => lineOf(session, topic, id)));
}

async function lineOf({ client }: Session, topic: string, id: string): Promise<Line> {
  const params = { params: { path: { id } } };
  try {
    if (topic === 'monitors') {
      const { name, status } = await dataOf(client.GET('/v0/monitors/{id}', params));
      return { id, name, state: status };
    }
    if (topic === 'alerts') {
      const { title, state } = await dataOf(client.GET('/v0/alerts/{id}', params));
      return { id, name: title, state };
    }
    if (topic === 'incidents') {
      const { title, state } = await dataOf(client.GET('/v0/incidents/{id}', params));
      return { id, name: title, state };
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
  }
  return { id, name: id, state: '' };
}
