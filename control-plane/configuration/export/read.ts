import { listMonitors } from '../../monitoring/monitors/list-store.ts';
import type { MonitorSettings } from '../../monitoring/monitors/monitor.ts';
import type { StoredMonitor } from '../../monitoring/monitors/row.ts';
import { hiddenValue, hide } from '../../monitoring/monitors/secrets/hidden.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Endpoint, Request } from '../../platform/http/endpoint/endpoint.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { readLogo } from '../../publishing/status-pages/store.ts';
import type { Body, ConfigKind } from '../kinds/kind.ts';
import { isPublicHeader } from '../kinds/public-headers.ts';

/** A resource with what documents may say of it; secrets are hidden. */
export type Exported = { id: string; settings: Body };

export type Reading = Pick<Request<unknown, unknown, unknown>, 'sql' | 'caller' | 'nowMs' | 'requestId' | 'record'>;

const pageSize = 200;

/** All resources of a type. Monitors are read as they are stored: the API shows what they come to. */
export async function readResources(
  kind: ConfigKind,
  endpoints: readonly Endpoint[],
  keyring: Keyring,
  reading: Reading,
): Promise<Exported[]> {
  if (kind.type === 'monitors') return readMonitors(reading.sql, keyring, reading.caller.projectId);
  const views = await listViews(kind, endpoints, reading);
  const exported: Exported[] = [];
  for (const view of views) {
    const settings = kind.type === 'status_pages' ? await pageOf(reading.sql, view) : view;
    exported.push({ id: String(view.id), settings: kind.type === 'flows' ? withoutNames(settings) : settings });
  }
  return exported;
}

async function readMonitors(sql: Sql, keyring: Keyring, projectId: string): Promise<Exported[]> {
  const all: Exported[] = [];
  const filter = { enabled: null, selector: null, kinds: null, statuses: null, text: null };
  let after: [number, string] | null = null;
  for (;;) {
    const rows = await listMonitors(sql, keyring, projectId, filter, { after, limit: pageSize });
    const shown = rows.slice(0, pageSize);
    all.push(...shown.map(({ monitor }) => ({ id: monitor.id, settings: settingsOf(monitor) })));
    const last = shown.at(-1)?.monitor;
    if (rows.length <= pageSize || last === undefined) return all;
    after = [last.createdAt, last.id];
  }
}

/** What the kind does not take, or follows from its own object, is left out. */
function settingsOf({ settings }: StoredMonitor): Body {
  const { url, regions, interval_seconds: interval, kind = 'http', domain: _name, ...others } = hide(settings);
  const isBeat = kind === 'heartbeat';
  const takesUrl = !isBeat && kind !== 'multistep' && kind !== 'events';
  const isDomain = kind === 'domain';
  const takesInterval = (!isBeat && !isDomain) || (isBeat && settings.heartbeat?.cron == null);
  return {
    ...others,
    headers: shownHeaders(settings),
    ...(takesUrl ? { url } : { kind }),
    ...(isBeat || isDomain || kind === 'events' ? {} : { regions }),
    ...(takesInterval ? { interval_seconds: interval } : {}),
  };
}

function shownHeaders({ headers }: MonitorSettings): Body {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, isPublicHeader(name) ? value : hiddenValue]),
  );
}

async function listViews({ path }: ConfigKind, endpoints: readonly Endpoint[], reading: Reading): Promise<Body[]> {
  const list = endpoints.find(candidate => candidate.method === 'get' && candidate.path === path);
  if (list?.kind !== 'transaction') throw new Error(`there is no list at ${path}`);
  const views: Body[] = [];
  let cursor: string | null = null;
  do {
    const query: unknown = list.query.parse({ limit: String(pageSize), ...(cursor === null ? {} : { cursor }) });
    const request = { ...reading, params: {}, query, body: undefined, accept: '', expectedUpdate: null };
    const { body } = await list.handle(request);
    const page = body as { data: Body[]; pagination: { next_cursor: string | null } };
    views.push(...page.data);
    cursor = page.pagination.next_cursor;
  } while (cursor !== null);
  return views;
}

/** Of who may see a page, what the API takes: no key of its feeds. */
async function pageOf(sql: Sql, view: Body): Promise<Body> {
  const { type, password, ranges } = view.access as Body;
  const given = Object.entries({ type, password, ranges }).filter(([, value]) => value !== undefined);
  return { ...(await withLogo(sql, view)), access: Object.fromEntries(given) };
}

async function withLogo(sql: Sql, view: Body): Promise<Body> {
  if (view.logo === null) return view;
  const logo = await readLogo(sql, String(view.id));
  const data = logo === null ? null : `data:${logo.contentType};base64,${Buffer.from(logo.bytes).toString('base64')}`;
  return { ...view, logo: data };
}

/** A step without a name is shown with that of its event. */
function withoutNames(view: Body): Body {
  const steps = view.steps as readonly Body[];
  return { ...view, steps: steps.map(({ name, ...step }) => (name === step.event ? step : { name, ...step })) };
}
