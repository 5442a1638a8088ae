import { dayMs } from '#shared/duration.ts';
import { type Finding, fail, ok, warn } from '../../../platform/failures/finding.ts';
import type { WorkFailure } from '../../../platform/failures/store.ts';
import { sizeOf } from '../backup/progress.ts';
import type { AgentFacts, BacklogFacts, ConnectedProgram, GrowthFacts, IntakeFacts, ServerFacts } from './store.ts';

// Pure: from what was read to what to say.

const oldestServer = 150_000;
const clockMaxMs = 2000;
const waitMaxSeconds = 300;
const certificateDaysMin = 14;
const listDaysMax = 7;
/** Indexes and free space in pages, measured. */
const overhead = 1.4;
const resultDays = 30;
const eventDays = 90;

export function serverFindings(server: ServerFacts, bypassing: string | null): Finding[] {
  const { version, number, role, owns, creates, edition, offersTimescale, sessions, sessionsMax } = server;
  const free = sessionsMax - sessions;
  return [
    number >= oldestServer
      ? ok('PostgreSQL', version)
      : fail('PostgreSQL', `${version} is too old`, 'use PostgreSQL 15 or newer'),
    rightsFinding(role, owns || creates, bypassing),
    edition === 'plain' && offersTimescale
      ? warn(
          'storage',
          'plain, although the server offers TimescaleDB',
          'it is chosen when a database is created: back up, create the extension in a new database, restore',
        )
      : ok('storage', edition),
    free >= 40
      ? ok('connections', `${sessions} of ${sessionsMax} in use`)
      : warn(
          'connections',
          `${sessions} of ${sessionsMax} in use`,
          'a control plane opens up to 33: raise max_connections or run fewer of them',
        ),
  ];
}

function rightsFinding(role: string, mayChange: boolean, bypassing: string | null): Finding {
  if (bypassing !== null)
    return fail('role', `${role} bypasses row security`, 'use a role that is not a superuser and owns the database');
  if (!mayChange)
    return fail('role', `${role} may not create tables`, `run: alter database … owner to ${role}, in that database`);
  return ok('role', `${role} has its rights and no more`);
}

export function schemaFinding({ pending, missing }: { pending: string[]; missing: string[] }): Finding {
  if (missing.length > 0)
    return fail('schema', `newer than this version (${missing[0]})`, 'install the version that the database is from');
  if (pending.length > 0)
    return fail('schema', `${pending.length} migrations are pending`, 'start a control plane of this version');
  return ok('schema', 'up to date');
}

export function clockFinding(offsetMs: number): Finding {
  const relation = offsetMs > 0 ? 'behind' : 'ahead of';
  const detail = `this machine is ${Math.abs(Math.round(offsetMs))} ms ${relation} the database`;
  return Math.abs(offsetMs) <= clockMaxMs
    ? ok('clock', detail)
    : fail('clock', detail, 'synchronise both clocks (NTP): a control plane is not ready beyond 2 s');
}

/** `release` is that of the zone data, such as `2026b`, which this Node carries. */
export function timeZonesFinding(release: string | undefined, nowMs: number): Finding {
  const year = Number(/^\d{4}/.exec(release ?? '')?.[0] ?? Number.NaN);
  const advice = 'upgrade: what governments changed since is missing';
  if (release === undefined || Number.isNaN(year)) return fail('time zones', 'this Node has none', 'use our Node');
  return year >= new Date(nowMs).getUTCFullYear() - 1
    ? ok('time zones', `release ${release}`)
    : warn('time zones', `release ${release} is old`, advice);
}

/** `freeBytes` is null if the database's disk cannot be seen from here. */
export function diskFinding(usedBytes: number, freeBytes: number | null, growth: GrowthFacts): Finding {
  const perDay = overhead * (growth.results * growth.resultBytes + growth.events * growth.eventBytes);
  const full =
    overhead * (growth.results * growth.resultBytes * resultDays + growth.events * growth.eventBytes * eventDays);
  const growing = `${sizeOf(Math.round(perDay))} a day, about ${sizeOf(Math.round(full))} in the end`;
  const forecast = `${sizeOf(usedBytes)} used, ${growing}`;
  if (freeBytes === null)
    return ok('disk', `${forecast}; the free space of the database's machine is not visible here`);
  const detail = `${forecast}, ${sizeOf(freeBytes)} free`;
  const missing = full - usedBytes;
  const days = perDay === 0 ? Number.POSITIVE_INFINITY : freeBytes / perDay;
  const advice = 'free up space, or move the database to a larger disk';
  if (freeBytes < 512 * 1024 * 1024 || (freeBytes < missing && days < 3)) return fail('disk', detail, advice);
  if (freeBytes < missing) return warn('disk', `${detail}: full in ${Math.floor(days)} days`, advice);
  return ok('disk', detail);
}

export function backlogFindings(
  { factSeconds, deliverySeconds, expiredResults }: BacklogFacts,
  paused: boolean,
): Finding[] {
  const advice = 'see that a process with the role worker runs, and its log';
  return [
    factSeconds <= waitMaxSeconds
      ? ok('work', 'nothing waits')
      : fail('work', `facts wait for ${Math.round(factSeconds)} s: nothing is published or sent`, advice),
    paused
      ? warn('sending', 'paused by an operator or a restore', 'when all is right: npm run admin -- sending resume')
      : deliverySeconds <= waitMaxSeconds
        ? ok('sending', 'nothing waits')
        : warn(
            'sending',
            `a delivery waits for ${Math.round(deliverySeconds)} s`,
            'see the errors of deliveries, and the log',
          ),
    expiredResults
      ? warn('retention', 'raw results older than 33 days are still there', advice)
      : ok('retention', 'results past their retention are deleted'),
  ];
}

/** What fails again and again for single monitors, projects or deliveries while everything else goes on. */
export function failuresFinding(failures: readonly WorkFailure[]): Finding {
  const [first] = failures;
  if (first === undefined) return ok('failing items', 'none');
  const { work, item, error } = first;
  const items = failures.length === 1 ? 'one item fails' : `${failures.length} items fail`;
  const detail = `${items} again and again; first ${work} of ${item}: ${error}`;
  return warn('failing items', detail, 'see the table work_failures and the log, and report it: the others go on');
}

/** Nothing without a broker. */
export function intakeFindings({ streams, waitSeconds, parked }: IntakeFacts): Finding[] {
  if (streams === 0) return [];
  return [
    waitSeconds <= waitMaxSeconds
      ? ok('intake', 'nothing waits in NATS')
      : warn(
          'intake',
          `a stream of NATS was not empty for ${Math.round(waitSeconds)} s`,
          'see that a process with the role worker and INTAKE=nats runs, and its log',
        ),
    parked === 0
      ? ok('parked', 'everything could be stored')
      : warn('parked', `${parked} messages, results or events could not be stored`, 'see the table intake_parked'),
  ];
}

/** Programs name their version and roles: `upquorum 0.4.0 front+worker`. */
export function programsFinding(programs: readonly ConnectedProgram[], ours: string): Finding {
  const found = programs.flatMap(({ name, address }) => {
    const [, version, roles] = /^upquorum (\d\S*) (\S+)$/.exec(name) ?? [];
    return version === undefined ? [] : [{ version, roles, address }];
  });
  if (found.length === 0)
    return warn('control planes', 'none is connected', 'start one: nothing is recorded, judged or published');
  const detail = found.map(({ version, roles, address }) => `${version} (${roles}) from ${address}`).join(', ');
  return found.every(({ version }) => version === ours)
    ? ok('control planes', detail)
    : warn('control planes', detail, `this is version ${ours}: finish the upgrade of the others`);
}

export function agentsFinding(agents: readonly AgentFacts[], ours: string): Finding {
  const describe = (some: readonly AgentFacts[]) => some.map(({ name, region }) => `${name} (${region})`).join(', ');
  const offline = agents.filter(({ online }) => !online);
  const other = agents.filter(({ online, version }) => online && version !== ours);
  const skewed = agents.filter(({ online, clock }) => online && Math.abs(clock ?? 0) > clockMaxMs);
  const online = `${agents.length - offline.length} of ${agents.length} online`;
  if (agents.length === 0) return warn('agents', 'none is enrolled', 'npm run admin -- agent create --region CODE');
  if (offline.length === agents.length)
    return fail('agents', `${online}`, 'start them, and see that they reach CONTROL_PLANE_URL: no monitor is checked');
  if (offline.length > 0)
    return warn('agents', `${online}; offline: ${describe(offline)}`, 'start them, or revoke those that are gone');
  if (skewed.length > 0)
    return warn('agents', `${online}; wrong clocks: ${describe(skewed)}`, 'synchronise the clocks of their machines');
  if (other.length > 0) return warn('agents', `${online}; of other versions: ${describe(other)}`, 'upgrade them');
  return ok('agents', online);
}

/** `failure` says why the certificate is not trusted, or that nobody answers. */
export function certificateFinding(host: string, daysLeft: number | null, failure: string | null): Finding {
  if (failure !== null || daysLeft === null)
    return fail(
      'certificate',
      `${host}: ${failure ?? 'none was shown'}`,
      'see the proxy in front of the control plane',
    );
  const detail = `${host}: ${Math.floor(daysLeft)} days left`;
  return daysLeft >= certificateDaysMin ? ok('certificate', detail) : warn('certificate', detail, 'renew it');
}

/** `listAgeMs`: since the list of registries was last read; null if it never was. Without domains nobody reads it. */
export function registriesFinding({ domains, listAgeMs }: { domains: boolean; listAgeMs: number | null }): Finding {
  if (!domains) return ok('registries', 'no domain is watched');
  const advice = 'see RDAP_BOOTSTRAP_URL, and that workers may connect there: their logs say why';
  if (listAgeMs === null) return warn('registries', 'their list was never read', advice);
  const days = Math.floor(listAgeMs / dayMs);
  const detail = `their list is ${days} ${days === 1 ? 'day' : 'days'} old`;
  return listAgeMs <= listDaysMax * dayMs ? ok('registries', detail) : warn('registries', detail, advice);
}

/** Regions whose agents cannot do what monitors there need. */
export function abilitiesFinding(unable: readonly { region: string; needs: string; monitors: number }[]): Finding {
  if (unable.length === 0) return ok('abilities', 'each monitor has agents that can run it');
  const list = unable.slice(0, 5).map(({ region, needs, monitors }) => `${monitors} in ${region} (${needs})`);
  const rest = unable.length > list.length ? `, and ${unable.length - list.length} more` : '';
  return warn(
    'abilities',
    `no agent can run these monitors: ${list.join(', ')}${rest}`,
    'upgrade the agents; ping needs the program of that name, dns.own needs DNS_CHECK_SERVERS: their logs say why',
  );
}
