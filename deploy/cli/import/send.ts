import { join } from 'node:path';
import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, type Session } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { CommandError, UsageError } from '../frame/failure.ts';
import type { MonitorHistory } from './imported.ts';
import { readIncidents, sendIncidents } from './incidents.ts';
import { keyedMonitors } from './keyed-monitors.ts';
import { type HistoryPart, partsOf } from './parts.ts';
import { readSubscribers, sendSubscribers } from './subscribers.ts';
import { textOf } from './text-file.ts';

const sourceNames: Readonly<Record<string, string>> = { kuma: 'Uptime Kuma', statuspage: 'Statuspage' };

export const sendCommand: Command = {
  name: 'import send',
  summary: 'Send the history, past incidents and subscribers of an import, once it is applied',
  args: 'DIR',
  arity: [1, 1],
  flags: [{ name: 'consent', value: 'TEXT', summary: 'how the subscribers consented (needed where there are any)' }],
  notes: ['Sent again, nothing is there twice.'],
  examples: ['upquorum import send imported'],
  run: async ({ args: [folder = ''], connect, terminal, value }) => {
    const { source, manager } = await readReport(folder);
    const histories = await readHistories(folder);
    const past = await readIncidents(folder);
    const subscribers = await readSubscribers(folder);
    const consent = value('consent');
    if (subscribers.length > 0 && consent === null)
      throw new UsageError(`${folder} has subscribers: say how they consented`, '--consent "Subscribed on our page"');
    const session = await connect();
    const monitors = await keyedMonitors(session, manager);
    let sent = 0;
    const missing: string[] = [];
    for (const history of histories) {
      const monitor = monitors.get(history.key);
      if (monitor === undefined) missing.push(history.key);
      else {
        for (const part of partsOf(history, Date.parse(monitor.created_at)))
          await sendPart(session, monitor, source, part);
        sent += 1;
      }
    }
    const incidents = await sendIncidents(session, manager, source, past);
    const addresses = consent === null ? 0 : await sendSubscribers(session, manager, subscribers, consent);
    if (terminal.isJson) terminal.json({ monitors: sent, incidents, subscribers: addresses, missing });
    else terminal.note(`Sent: the history of ${sent} monitors, ${incidents} incidents, ${addresses} subscribers.`);
    if (missing.length > 0)
      throw new CommandError(
        `there is no monitor with the key ${missing.join(', ')}`,
        `First: upquorum apply ${folder}`,
      );
  },
};

async function sendPart(
  { client }: Session,
  { id }: Schemas['Monitor'],
  source: string,
  part: HistoryPart,
): Promise<void> {
  const iso = (ms: number) => new Date(ms).toISOString();
  const rows = part.rows.map(row => ({ ...row, since: iso(row.since) }));
  const body = { source, from: iso(part.from), until: iso(part.until), rows };
  await dataOf(client.POST('/v0/monitors/{id}/history', { params: { path: { id } }, body }));
}

async function readReport(folder: string): Promise<{ source: string; manager: string }> {
  const text = await textOf(join(folder, 'report.json'));
  if (text === null) throw new CommandError(`${folder} is no folder of an import: it has no report.json`, null);
  const { source, manager } = JSON.parse(text) as { source: string; manager: string };
  return { source: sourceNames[source] ?? source, manager };
}

async function readHistories(folder: string): Promise<MonitorHistory[]> {
  const text = (await textOf(join(folder, 'history.ndjson'))) ?? '';
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as MonitorHistory);
}
