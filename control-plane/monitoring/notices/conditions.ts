import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs, secondMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { listSetApart, type WorkFailure } from '../../platform/failures/store.ts';
import {
  findOperator,
  listFaulty,
  listOffline,
  listQuietRegions,
  listUnable,
  listUnheard,
  type QuietRegion,
  type UnableMonitors,
} from './condition-store.ts';
import type { Condition } from './notice.ts';

const silentDefaultMs = 300 * secondMs;
const unableAfterMs = 300 * secondMs;
const unheardAfterMs = 3 * dayMs;
const failuresMax = 1000;
const goodbyeAfterMs = hourMs;

type Operator = { id: string; silent_seconds: number | null } | null;

/** What is wrong now in the tables of another wing. `operatorId`: the project of the operator, if there is one. */
export type ConditionSource = (sql: Sql, operatorId: string | null) => Promise<Condition[]>;

/** What is wrong now in all projects, for the project `operatorId` and the others. */
export async function readConditions(
  sql: Sql,
  operatorId: string | null,
  sources: readonly ConditionSource[],
): Promise<Condition[]> {
  const operator = await findOperator(sql, operatorId);
  const id = operator?.id ?? null;
  const others: Condition[] = [];
  for (const read of sources) others.push(...(await read(sql, id)));
  return [
    ...silentRegions(await listQuietRegions(sql), operator),
    ...(await listFaulty(sql, id)).map(
      (row): Condition => ({
        ...aboutRegion(row),
        projectId: row.project_id,
        kind: 'region.quarantined',
        sinceMs: row.since,
        afterMs: 0,
        title: `Region ${row.name} is quarantined`,
        detail: 'Its checks fail where those of other regions succeed. Its votes do not count until they agree again.',
      }),
    ),
    ...(await listOffline(sql, id)).map(
      (row): Condition => ({
        projectId: row.project_id,
        kind: 'agent.silent',
        subjectType: 'agent',
        subjectId: row.id,
        subjectName: row.name,
        distinction: '',
        sinceMs: row.seen_at,
        afterMs: afterOf(row.project_id, row.silent_seconds, row.goodbye ? goodbyeAfterMs : 0),
        title: `Agent ${row.name} is offline`,
        detail: agentDetail(row),
      }),
    ),
    ...(await listUnable(sql)).map(unableMonitors),
    ...(await listUnheard(sql)).map(
      (row): Condition => ({
        projectId: row.project_id,
        kind: 'heartbeat.unheard',
        subjectType: 'monitor',
        subjectId: row.id,
        subjectName: row.name,
        distinction: '',
        sinceMs: row.since,
        afterMs: unheardAfterMs,
        title: `Heartbeat ${row.name} has never been heard`,
        detail:
          'No signal has come for three days since it was created or resumed. Nothing is watched until the first.',
      }),
    ),
    ...failingWork(await listSetApart(sql, failuresMax), id),
    ...others,
  ];
}

/** Pure: one for each list of needs that no agent of a region meets. */
function unableMonitors({ project_id, needs, monitors, since, ...region }: UnableMonitors): Condition {
  const count = monitors === 1 ? 'One monitor is' : `${monitors} monitors are`;
  return {
    ...aboutRegion(region),
    projectId: project_id,
    kind: 'monitor.unable',
    distinction: needs,
    sinceMs: since,
    afterMs: unableAfterMs,
    title: `Region ${region.name} cannot run some monitors`,
    detail: `${count} not checked there: no agent has all of ${needs.replaceAll(' ', ', ')}.`,
  };
}

/** Pure: one for each loop, for the operator. */
function failingWork(failures: readonly WorkFailure[], operatorId: string | null): Condition[] {
  return [...Map.groupBy(failures, ({ work }) => work)].map(([work, items]) => {
    const [{ item, error, first_at }] = items as [WorkFailure, ...WorkFailure[]];
    return {
      projectId: operatorId,
      kind: 'work.failing',
      subjectType: 'work',
      subjectId: work,
      subjectName: work,
      distinction: '',
      sinceMs: first_at,
      afterMs: 0,
      title: `${items.length === 1 ? 'One item' : `${items.length} items`} of ${work} cannot be processed`,
      detail: `First: ${item}. ${error}. All others go on; \`npm run admin -- doctor\` shows whether it lasts.`,
    };
  });
}

/** Pure: of each project, and of a shared region once more for the operator if it is quiet for all. */
function silentRegions(quiet: readonly QuietRegion[], operator: Operator): Condition[] {
  const own = quiet
    // The operator's project hears of a shared region as a whole.
    .filter(row => !(row.shared && row.project_id === operator?.id))
    .flatMap(row => silenceOf(row, row.project_id, row.silent_seconds));
  const byRegion = Map.groupBy(
    quiet.filter(row => row.shared),
    row => row.region,
  );
  const shared = [...byRegion.values()].flatMap(rows => {
    const [first] = rows;
    if (first === undefined || rows.length < first.projects) return [];
    const lost = rows.flatMap(row => row.lost_at ?? []);
    const all = {
      ...first,
      lost_at: lost.length === 0 ? null : Math.max(...lost),
      first_at: Math.min(...rows.map(row => row.first_at)),
    };
    return silenceOf(all, operator?.id ?? null, operator?.silent_seconds ?? null);
  });
  return [...own, ...shared];
}

/** A cut opens one notice: that no agent is there is one only where there never was a vote to lose. */
function silenceOf(row: QuietRegion, projectId: string | null, seconds: number | null): Condition[] {
  const common = { ...aboutRegion(row), projectId };
  if (row.lost_at !== null)
    return [
      {
        ...common,
        kind: 'region.silent',
        sinceMs: row.lost_at,
        afterMs: afterOf(projectId, seconds, 0),
        title: `Region ${row.name} is silent`,
        detail: `All enabled monitors there have lost their votes, the last one at ${toTimestamp(row.lost_at)}.`,
      },
    ];
  if (row.agent_online) return [];
  return [
    {
      ...common,
      kind: 'monitor.unable',
      distinction: 'no_agent',
      sinceMs: Math.max(row.first_at, row.agent_seen_at ?? 0),
      afterMs: unableAfterMs,
      title: `Region ${row.name} has no agent`,
      detail: 'Its monitors are not checked there until an agent of the region is online.',
    },
  ];
}

function aboutRegion(row: { region: string; name: string }) {
  return { subjectType: 'region' as const, subjectId: row.region, subjectName: row.name, distinction: '' };
}

function agentDetail(row: { region: string; goodbye: boolean; seen_at: number }): string {
  const seen = row.goodbye ? 'Disconnected cleanly at' : 'Last seen at';
  return `In region ${row.region}. ${seen} ${toTimestamp(row.seen_at)}.`;
}

function afterOf(projectId: string | null, seconds: number | null, leastMs: number): number | null {
  if (projectId === null) return Math.max(silentDefaultMs, leastMs);
  return seconds === null ? null : Math.max(seconds * secondMs, leastMs);
}
