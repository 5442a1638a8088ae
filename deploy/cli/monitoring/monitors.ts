import type { Queries, Schemas } from '../../../control-plane/web/api-client/client.ts';
import { monitorKinds } from '../../../shared/checks/vocabulary.ts';
import { dataOf, itemsOf, queryOf } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { CommandError } from '../frame/failure.ts';
import { findMonitor } from './find-monitor.ts';
import { stateCell, timeText } from './inks.ts';

type Monitor = Schemas['Monitor'];
type Query = NonNullable<Queries['listMonitors']>;

const statuses = ['up', 'degraded', 'down', 'undetermined', 'pending', 'paused'] as const;
const list: Command = {
  name: 'monitors list',
  summary: 'List monitors',
  flags: [
    { name: 'selector', value: 'SELECTOR', summary: 'with these labels: env=prod, team in (web, api)' },
    { name: 'status', value: 'STATUS', isMany: true, choices: statuses, summary: 'with this status; may be repeated' },
    { name: 'kind', value: 'KIND', isMany: true, choices: monitorKinds, summary: 'of this kind; may be repeated' },
    { name: 'q', value: 'TEXT', summary: 'with this in their name or URL' },
  ],
  examples: ['upquorum monitors list --status down', "upquorum monitors list --selector 'env=prod'"],
  run: async ({ connect, terminal, value, values }) => {
    const { client } = await connect();
    const [status, kind] = [values('status'), values('kind')];
    const query = {
      selector: value('selector'),
      q: value('q'),
      status: status.length === 0 ? null : status,
      kind: kind.length === 0 ? null : kind,
    };
    const data = await itemsOf<Monitor>(cursor =>
      client.GET('/v0/monitors', { params: { query: queryOf(cursor, query as unknown as Query) } }),
    );
    if (terminal.isJson) return terminal.json({ data });
    if (data.length === 0) return terminal.note('No monitors match.');
    terminal.table(
      ['STATUS', 'SINCE', 'NAME', 'KIND', 'URL', 'ID'],
      data.map(({ status: now, status_since, name, kind: its, url, id }) => [
        stateCell(now),
        timeText(status_since),
        name,
        its,
        url,
        id,
      ]),
    );
  },
};

const get: Command = {
  name: 'monitors get',
  summary: 'Show a monitor and the votes of its regions',
  args: 'MONITOR',
  arity: [1, 1],
  run: async ({ connect, terminal, args }) => {
    const monitor = await findMonitor(await connect(), args[0] ?? '');
    if (terminal.isJson) return terminal.json(monitor);
    const labels = Object.entries(monitor.labels).map(([name, value]) => `${name}=${value}`);
    terminal.fields([
      ['name', monitor.name],
      ['id', monitor.id],
      ['key', monitor.key ?? ''],
      ['managed by', monitor.managed_by ?? 'nobody'],
      ['kind', monitor.kind],
      ['url', monitor.url],
      ['status', stateCell(monitor.status)],
      ['since', timeText(monitor.status_since)],
      ['interval', `${monitor.interval_seconds} s`],
      ['quorum', `${monitor.quorum} of ${monitor.regions.length}`],
      ['labels', labels.join(', ')],
      ...monitor.votes.map(({ region, vote, since }) => [region, `${vote} since ${timeText(since)}`] as const),
    ]);
  },
};

/** A command that does one thing to each monitor that is named. */
function eachMonitor(verb: 'pause' | 'resume', summary: string, done: string): Command {
  return {
    name: `monitors ${verb}`,
    summary,
    args: 'MONITOR…',
    arity: [1, 200],
    run: async ({ connect, terminal, args }) => {
      const session = await connect();
      const data: Monitor[] = [];
      for (const given of args) {
        const { id } = await findMonitor(session, given);
        const path = verb === 'pause' ? '/v0/monitors/{id}/pause' : '/v0/monitors/{id}/resume';
        const monitor = await dataOf<Monitor>(session.client.POST(path, { params: { path: { id } } }));
        data.push(monitor);
        if (!terminal.isJson) terminal.note(`${monitor.name} is ${done}.`);
      }
      if (terminal.isJson) terminal.json({ data });
    },
  };
}

const remove: Command = {
  name: 'monitors delete',
  summary: 'Delete a monitor, with its alerts and history',
  args: 'MONITOR',
  arity: [1, 1],
  flags: [{ name: 'yes', short: 'y', summary: 'do not ask; needed without a terminal' }],
  run: async ({ connect, terminal, args, has }) => {
    const session = await connect();
    const { id, name } = await findMonitor(session, args[0] ?? '');
    if (!has('yes')) {
      if (!terminal.canAsk)
        throw new CommandError('nobody can be asked', 'With --yes it is deleted without a question.');
      if (!(await terminal.confirm(`Delete ${name} (${id})?`))) throw new CommandError('not deleted');
    }
    await dataOf(session.client.DELETE('/v0/monitors/{id}', { params: { path: { id } } }));
    terminal.note(`${name} is deleted.`);
  },
};

export const monitorCommands: readonly Command[] = [
  list,
  get,
  eachMonitor('pause', 'Stop checking monitors', 'paused'),
  eachMonitor('resume', 'Check paused monitors again', 'resumed'),
  remove,
];
