import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, itemsOf, queryOf } from '../connection/session.ts';
import type { Command, Flag, Invocation } from '../frame/command.ts';
import { stateCell, timeText } from '../monitoring/inks.ts';
import { findComponents, findPage } from './find-page.ts';

type Incident = Schemas['Incident'];
type State = Incident['state'];

const states = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
const message: Flag = { name: 'message', value: 'TEXT|-', summary: 'what readers learn; - reads stdin' };
const state: Flag = { name: 'state', value: 'STATE', choices: states, summary: 'where the work stands' };

const list: Command = {
  name: 'incidents list',
  summary: 'List incidents, newest first',
  run: async ({ connect, terminal }) => {
    const { client } = await connect();
    const data = await itemsOf<Incident>(cursor =>
      client.GET('/v0/incidents', { params: { query: queryOf(cursor, {}) } }),
    );
    if (terminal.isJson) return terminal.json({ data });
    if (data.length === 0) return terminal.note('No incidents.');
    terminal.table(
      ['STATE', 'SEVERITY', 'STARTED', 'TITLE', 'ID'],
      data.map(one => [stateCell(one.state), stateCell(one.severity), timeText(one.started_at), one.title, one.id]),
    );
  },
};

const get: Command = {
  name: 'incidents get',
  summary: 'Show an incident and its updates',
  args: 'INCIDENT',
  arity: [1, 1],
  run: async ({ connect, terminal, args }) => {
    const { client } = await connect();
    const incident = await dataOf(client.GET('/v0/incidents/{id}', { params: { path: { id: args[0] ?? '' } } }));
    if (terminal.isJson) return terminal.json(incident);
    terminal.fields([
      ['title', incident.title],
      ['id', incident.id],
      ['page', incident.url],
      ['state', stateCell(incident.state)],
      ['severity', stateCell(incident.severity)],
      ['started', timeText(incident.started_at)],
      ['resolved', timeText(incident.resolved_at)],
      ...incident.updates.map(update => [timeText(update.posted_at), `${update.state}: ${update.body}`] as const),
    ]);
  },
};

const create: Command = {
  name: 'incidents create',
  summary: 'Open an incident on a status page',
  flags: [
    { name: 'title', value: 'TEXT', summary: 'what readers see first' },
    { name: 'severity', value: 'SEVERITY', choices: ['p1', 'p2', 'p3'], summary: 'how bad it is' },
    { name: 'page', value: 'SLUG|ID', summary: 'the status page' },
    { name: 'components', value: 'LIST', summary: 'what is affected: API,Website' },
    state,
    message,
  ],
  examples: ['upquorum incidents create --title "Slow API" --severity p2 --page acme'],
  run: async invocation => {
    const { connect, required, value } = invocation;
    const [title, severity, slug] = [required('title'), required('severity'), required('page')];
    const session = await connect();
    const page = await findPage(session, slug);
    const names = (value('components') ?? '').split(',').filter(name => name !== '');
    const body = await messageOf(invocation);
    const incident = await dataOf(
      session.client.POST('/v0/incidents', {
        body: {
          title,
          severity: severity as Incident['severity'],
          status_page_id: page.id,
          affected_components: await findComponents(session, page.id, names),
          initial_update: body === null ? null : { state: (value('state') ?? 'investigating') as State, body },
        },
      }),
    );
    show(invocation, incident);
  },
};

const update: Command = {
  name: 'incidents update',
  summary: 'Add an update to an incident',
  args: 'INCIDENT',
  arity: [1, 1],
  flags: [state, message],
  run: async invocation => {
    const { connect, required, args } = invocation;
    const body = { state: required('state') as State, body: await requiredMessage(invocation) };
    const { client } = await connect();
    const path = { id: args[0] ?? '' };
    await dataOf(client.POST('/v0/incidents/{id}/updates', { params: { path }, body }));
    show(invocation, await dataOf(client.GET('/v0/incidents/{id}', { params: { path } })));
  },
};

const resolve: Command = {
  name: 'incidents resolve',
  summary: 'Resolve an incident',
  args: 'INCIDENT',
  arity: [1, 1],
  flags: [message],
  run: async invocation => {
    const { connect, args } = invocation;
    const body = { body: await requiredMessage(invocation) };
    const { client } = await connect();
    const path = { id: args[0] ?? '' };
    await dataOf(client.POST('/v0/incidents/{id}/resolve', { params: { path }, body }));
    show(invocation, await dataOf(client.GET('/v0/incidents/{id}', { params: { path } })));
  },
};

/** The text of the flag, or of stdin for `-`. */
async function messageOf({ value, terminal }: Invocation): Promise<string | null> {
  const given = value('message');
  return given === '-' ? (await terminal.input()).trim() : given;
}

async function requiredMessage(invocation: Invocation): Promise<string> {
  return (await messageOf(invocation)) ?? invocation.required('message');
}

function show({ terminal }: Invocation, incident: Incident): void {
  if (terminal.isJson) terminal.json(incident);
  else terminal.line(`${incident.id}  ${incident.state}  ${incident.url}`);
}

export const incidentCommands: readonly Command[] = [list, get, create, update, resolve];
