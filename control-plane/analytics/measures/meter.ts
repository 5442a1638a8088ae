import { dayMs, secondMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { findProject } from '../../platform/projects/store.ts';
import { limits } from '../events/event.ts';
import type { FlowRule, Step } from '../flows/flow.ts';
import { countFunnel } from '../flows/funnel/funnel.ts';
import { limitStatements } from '../flows/roll-up/failure-store.ts';
import { findFlow } from '../flows/store.ts';
import { countEvents, countExamined } from './event-store.ts';

/** What is to be counted: events, or a flow, in a window that ends at `untilMs`. */
type Asked = {
  projectId: string;
  own: {
    event: { name: string; type: 'track' | 'error'; where: Step['where'] } | null;
    flow_id: string | null;
    measure: 'count' | 'users' | 'conversion';
    window_seconds: number;
    within_seconds: number | null;
  };
  untilMs: number;
  nowMs: number;
};

type Counted = { value: number | null; sample: number; name: string };

const eventsMax = 500_000;
const statementMs = 10 * secondMs;

/** Counts stored events for monitors. Exact: from the events themselves. */
export const meter = {
  findFlow: async (sql: Sql, projectId: string, id: string) => {
    const flow = await findFlow(sql, projectId, id);
    return flow === null ? null : { windowSeconds: flow.window_seconds };
  },
  count,
};

async function count(sql: Sql, asked: Asked): Promise<Counted | 'too_large' | 'not_kept'> {
  const { projectId, own, untilMs, nowMs } = asked;
  const project = await findProject(sql, projectId);
  if (project === null) return 'not_kept';
  const withinMs = (own.within_seconds ?? 0) * secondMs;
  const range = { fromMs: untilMs - withinMs - own.window_seconds * secondMs, toMs: untilMs };
  const rawFromMs = nowMs - project.event_retention_days * dayMs;
  // An event may arrive before its time.
  if (range.fromMs < rawFromMs + limits.aheadMs) return 'not_kept';
  await limitStatements(sql, statementMs);
  const query = { projectId, ...range, rawFromMs };
  if (own.event !== null) {
    const { name, type, where } = own.event;
    const step = { type, event: name, where };
    const counted = await countEvents(sql, query, step, { max: eventsMax, withUsers: own.measure === 'users' });
    if (counted.examined > eventsMax) return 'too_large';
    return { value: counted.users ?? counted.events, sample: counted.events, name };
  }
  const flow = own.flow_id === null ? null : await findFlow(sql, projectId, own.flow_id);
  if (flow === null) return 'not_kept';
  const rule: FlowRule = { steps: flow.steps, windowSeconds: withinMs / secondMs, order: flow.ordering };
  if ((await countExamined(sql, query, rule, eventsMax)) > eventsMax) return 'too_large';
  const bounds = [range.fromMs, range.toMs - withinMs];
  const counts = await countFunnel(sql, { projectId, rule, bounds, rawFromMs, actors: null });
  const steps = counts.get(1) ?? [];
  const [entries = 0, finished = 0] = [steps[0], steps.at(-1)];
  return { value: entries === 0 ? null : finished / entries, sample: entries, name: flow.name };
}
