import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { itemsOf, queryOf } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { CommandError, UsageError } from '../frame/failure.ts';
import { timeText } from '../monitoring/inks.ts';
import { exportEventsCommand } from './export.ts';

type EventName = Schemas['EventName'];

const send: Command = {
  name: 'events send',
  summary: 'Record an event',
  args: 'NAME',
  arity: [1, 1],
  flags: [
    { name: 'user', value: 'ID', summary: 'who did it' },
    { name: 'session', value: 'ID', summary: 'in which session' },
    { name: 'props', value: 'JSON', summary: 'what else is known, as an object' },
  ],
  examples: [`upquorum events send "backup done" --props '{"bytes":1024}'`],
  run: async ({ connect, terminal, args, value }) => {
    const props = propsOf(value('props'));
    const session = await connect();
    const event = {
      type: 'track',
      name: args[0],
      external_user_id: value('user') ?? undefined,
      session_id: value('session') ?? undefined,
      props,
      timestamp: new Date().toISOString(),
    };
    const response = await session.fetch('POST', '/v0/events', {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify([event]),
    });
    const receipt = (await response.json()) as Schemas['IngestReceipt'];
    const [refused] = receipt.errors;
    if (refused !== undefined) throw new CommandError(`the event is refused: ${refused.detail}`);
    if (terminal.isJson) terminal.json(receipt);
    else terminal.note('Recorded.');
  },
};

const names: Command = {
  name: 'events names',
  summary: 'List the names of events, and how many there were',
  run: async ({ connect, terminal }) => {
    const { client } = await connect();
    const data = await itemsOf<EventName>(cursor =>
      client.GET('/v0/event-names', { params: { query: queryOf(cursor, {}) } }),
    );
    if (terminal.isJson) return terminal.json({ data });
    if (data.length === 0) return terminal.note('No events.');
    terminal.table(
      ['NAME', 'TYPE', 'COUNT', 'USERS', 'LAST'],
      data.map(({ name, type, count, users, last_seen_at }) => [
        name,
        type,
        String(count),
        String(users),
        timeText(last_seen_at),
      ]),
    );
  },
};

function propsOf(text: string | null): Record<string, unknown> | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new UsageError('--props is no JSON object', `Such as --props '{"plan":"team"}'`);
}

export const eventCommands: readonly Command[] = [send, names, exportEventsCommand];
