import pg from 'pg';
import { wait } from '#shared/wait.ts';
import { apiOf, until } from '../support/control-plane.ts';
import { cpuSecondsOf } from './cpu.ts';
import { makeEvent, openProject, postRequest, startSenders } from './load/event-senders.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';

const target = { leastRatio: 0.95 };
const batch = 1000;
/** 45,000 events have all pairs of session and user that there are; after that, each is known. */
const batches = 45;
const connections = 6;
const roundMs = 6000;
/** What waits for events is counted within this time. */
const settleMs = 20_000;
const rounds = { small: 3, full: 5 };

type Side = { site: Site; requests: readonly Uint8Array[]; accepted: number; rates: number[]; cpuAtStart: number };

/**
 * P3-operated: events per second, in batches of 1000, of a project with linked sessions, a flow and a monitor of
 * events, in turn with one without them. Each has a server of its own, so that the CPU of what counts them later is
 * its own.
 */
export async function measureOperatedEvents(run: RowRun): Promise<Row> {
  const [without, operated] = [await openSide(run, false), await openSide(run, true)];
  for (const side of [without, operated]) await send(side);
  await waitForPass(operated.site);
  for (const side of [without, operated]) Object.assign(side, { accepted: 0, rates: [], cpuAtStart: cpuOf(side) });
  for (let index = 0; index < (run.full ? rounds.full : rounds.small); index++) {
    for (const side of index % 2 === 0 ? [without, operated] : [operated, without]) await send(side);
    run.progress(`${without.rates.at(-1)} events/s without, ${operated.rates.at(-1)} with`);
  }
  await wait(settleMs);
  const ratios = operated.rates.map((rate, index) => rate / (without.rates[index] ?? Number.NaN));
  const figure = {
    without: figureOf(without),
    operated: figureOf(operated),
    ratio: round(median(ratios), 3),
    cpuRatio: round(cpuPer10k(operated) / cpuPer10k(without), 3),
  };
  const samples = { without: without.rates, operated: operated.rates };
  const pass = figure.ratio >= target.leastRatio;
  return { name: 'P3-operated', figure, target, pass, versions: await operated.site.versions(), samples };
}

async function openSide(run: RowRun, isOperated: boolean): Promise<Side> {
  const site = await openSite(run);
  const { token } = await openProject(site.databaseUrl);
  const requests = Array.from({ length: batches }, (_, start) =>
    postRequest(
      token,
      Array.from({ length: batch }, (_, index) => makeEvent(start * batch + index)),
    ),
  );
  if (isOperated) await operate(site, token);
  return { site, requests, accepted: 0, rates: [], cpuAtStart: 0 };
}

/** What was stored before the setting was switched is read for links once. */
async function waitForPass({ databaseUrl }: Site): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c app.role=worker' });
  await client.connect();
  try {
    const isOver = async () => {
      const { rowCount } = await client.query(`
        select from session_link_passes p
        where due_at > now()
          and not exists (select from session_links l where l.project_id = p.project_id and not l.is_counted)`);
      return rowCount === 1;
    };
    await until(isOver, true);
  } finally {
    await client.end();
  }
}

async function operate(site: Site, token: string): Promise<void> {
  const api = apiOf(site.url, token);
  const act = async (method: string, path: string, body: unknown) => {
    const answer = await api(method, path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  await act('PATCH', '/v0/project', { link_sessions: true });
  const steps = ['page viewed', 'added to cart', 'paid'].map(event => ({ event }));
  await act('POST', '/v0/flows', { name: 'f', steps, window_seconds: 3600 });
  const events = { event: { name: 'paid' }, window_seconds: 300, settle_seconds: 30 };
  const assertions = [{ type: 'measured', operator: 'gte', value: 1 }];
  await act('POST', '/v0/monitors', { name: 'm', kind: 'events', events, assertions });
}

/** Sends for one round and notes its rate. */
async function send(side: Side): Promise<void> {
  let [next, accepted] = [0, 0];
  const startedAt = performance.now();
  const senders = startSenders(
    Number(new URL(side.site.url).port),
    connections,
    () => side.requests[next++ % batches] ?? new Uint8Array(),
    (status, body) => {
      if (status !== 202) throw new Error(`the answer was ${status}: ${body.slice(0, 300)}`);
      accepted += batch;
    },
  );
  await wait(roundMs);
  await senders.stop();
  side.accepted += accepted;
  side.rates.push(Math.round(accepted / ((performance.now() - startedAt) / 1000)));
}

function cpuOf({ site }: Side): number {
  return cpuSecondsOf(site.postgres().pid) + cpuSecondsOf(site.controlPlane().pid);
}

function cpuPer10k(side: Side): number {
  return ((cpuOf(side) - side.cpuAtStart) / side.accepted) * 10_000;
}

function figureOf(side: Side) {
  return { eventsPerSecond: median(side.rates), cpuSecondsPer10k: round(cpuPer10k(side), 3) };
}
