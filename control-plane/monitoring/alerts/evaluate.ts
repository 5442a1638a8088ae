import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../platform/db/sql.ts';
import { type AlertRules, defaultAlertRules } from '../monitors/alert-rules.ts';
import type { MonitorState } from '../monitors/state/state.ts';
import { countedVotes, type VerdictChange } from '../verdicts/timeline.ts';
import { applyTransitions } from './apply.ts';
import {
  type AlertSubject,
  deleteClocks,
  findSubject,
  listClockRows,
  moveClocks,
  readMemory,
  writeClocks,
} from './clock-store.ts';
import { historyOf } from './clocks.ts';
import { openAlert } from './open.ts';
import { resolveAlert } from './resolve.ts';
import { addFailingRegions } from './store.ts';
import {
  type AlertStanding,
  advanceAlerts,
  type Followed,
  followRules,
  followVerdict,
  nextAlertDue,
  plainEffectOf,
} from './transitions.ts';

/** How many alerts opened and resolved. */
export type AlertCounts = { opened: number; resolved: number };
export const noAlerts: AlertCounts = { opened: 0, resolved: 0 };

/** Opens and resolves the alerts of a monitor by a new row of its history, in the transaction of the row. */
export async function evaluateFlip(
  sql: Sql,
  before: MonitorState,
  state: MonitorState,
  change: VerdictChange,
  nowMs: number,
): Promise<AlertCounts> {
  const subject = await findSubject(sql, state.monitorId);
  if (subject === null || (isPlain(subject.rules) && subject.history === null))
    return followPlain(sql, before, state, change, nowMs);
  const { standing } = await readStanding(sql, state, subject, before, change.since);
  const decidedAt = change.decision?.at ?? change.since;
  const followed = followVerdict(standing, subject.rules, { verdict: change.verdict, since: change.since, decidedAt });
  const votes = change.verdict === 'down' || change.verdict === 'degraded' ? change.votes : countedVotes(before);
  return finish(sql, state, subject, subject.rules, followed, votes, nowMs);
}

/** Applies new rules to what is open, in the transaction of the change. `state` is locked. */
export async function evaluateNewRules(
  sql: Sql,
  state: MonitorState,
  rules: { before: AlertRules; after: AlertRules },
  nowMs: number,
): Promise<AlertCounts> {
  const subject = await findSubject(sql, state.monitorId);
  if (subject === null) return noAlerts;
  const { standing } = await readStanding(sql, state, subject, state, nowMs + 1);
  const followed = followRules(standing, rules.before, rules.after, nowMs);
  return finish(sql, state, subject, rules.after, followed, countedVotes(state), nowMs);
}

/** Applies what time alone brought about until `dueMs`. `state` is locked. */
export async function evaluateTime(
  sql: Sql,
  state: MonitorState,
  quarantined: ReadonlySet<string>,
  dueMs: number,
  nowMs: number,
): Promise<AlertCounts> {
  const subject = await findSubject(sql, state.monitorId);
  if (subject === null) return noAlerts;
  const { standing } = await readStanding(sql, state, subject, state, nowMs + 1);
  const followed = advanceAlerts(standing, subject.rules, dueMs);
  return finish(sql, state, subject, subject.rules, followed, countedVotes(state, quarantined), nowMs);
}

/**
 * Brings the alerts of a monitor in line with its history, because evaluating a change of it failed. `state` is locked.
 */
export async function evaluateAgain(
  sql: Sql,
  state: MonitorState,
  quarantined: ReadonlySet<string>,
  nowMs: number,
): Promise<AlertCounts> {
  const subject = await findSubject(sql, state.monitorId);
  if (subject === null) return noAlerts;
  const { downOpenedAt, ...memory } = await readMemory(sql, state.monitorId);
  const rows = await listClockRows(sql, state.monitorId, nowMs + 1);
  // What follows happens now: whether a window holds it is asked of now.
  const history = { ...historyOf(rows, downOpenedAt), at: nowMs };
  const votes = countedVotes(state, quarantined);
  const failing = Object.keys(votes).filter(region => votes[region] === 'down');
  if (state.verdict === 'down') await addFailingRegions(sql, state.monitorId, failing);
  const followed = advanceAlerts({ history, memory }, subject.rules, nowMs);
  return finish(sql, state, subject, subject.rules, followed, votes, nowMs);
}

/** Makes the clocks of a monitor follow its rows, which late results moved. Opens and resolves nothing. */
export async function evaluateMovedRows(sql: Sql, monitorId: string, moved: readonly VerdictChange[]): Promise<void> {
  const subject = await findSubject(sql, monitorId);
  if (subject === null || subject.history === null) return;
  const { downOpenedAt, ...memory } = await readMemory(sql, monitorId);
  const rows = await listClockRows(sql, monitorId, (moved.at(-1)?.since ?? 0) + 1);
  const history = historyOf(rows, downOpenedAt);
  await moveClocks(sql, monitorId, history, nextAlertDue({ history, memory }, subject.rules));
}

/** Without rules of its own a monitor needs no clocks: down opens its alert, up and degraded resolve it. */
async function followPlain(
  sql: Sql,
  before: MonitorState,
  state: MonitorState,
  change: VerdictChange,
  nowMs: number,
): Promise<AlertCounts> {
  const effect = plainEffectOf(change.verdict);
  if (effect === 'open') return (await openAlert(sql, state, change, nowMs)) ? { opened: 1, resolved: 0 } : noAlerts;
  if (effect === null || !(await resolveAlert(sql, before, change.since, nowMs))) return noAlerts;
  return { opened: 0, resolved: 1 };
}

/**
 * The clocks as they were stored, or from the rows before `untilMs`: if there are none yet, or a program of the version
 * before, which keeps none, wrote the verdict in between.
 */
async function readStanding(
  sql: Sql,
  state: MonitorState,
  { history }: AlertSubject,
  verdictBefore: Pick<MonitorState, 'verdict'>,
  untilMs: number,
): Promise<{ standing: AlertStanding }> {
  const { downOpenedAt, ...memory } = await readMemory(sql, state.monitorId);
  if (history !== null && history.rows.at(-1)?.verdict === verdictBefore.verdict)
    return { standing: { history, memory } };
  const rows = await listClockRows(sql, state.monitorId, untilMs);
  return { standing: { history: historyOf(rows, downOpenedAt), memory } };
}

async function finish(
  sql: Sql,
  state: MonitorState,
  subject: AlertSubject,
  rules: AlertRules,
  { standing, transitions }: Followed,
  votes: VerdictChange['votes'],
  nowMs: number,
): Promise<AlertCounts> {
  const counts = await applyTransitions(sql, state, { ...subject, rules }, transitions, votes, nowMs);
  const ended = standing.history.rows.at(-1)?.verdict === 'deleted';
  if (ended || isPlain(rules)) await deleteClocks(sql, state.monitorId);
  else await writeClocks(sql, state, standing.history, nextAlertDue(standing, rules));
  return counts;
}

/** Certificates and the end of domains have no part in verdicts: see `certificates/follow.ts`. */
function isPlain(rules: AlertRules): boolean {
  const ends = { certificate: null, domain: null };
  return isDeepStrictEqual({ ...rules, ...ends }, { ...defaultAlertRules, ...ends });
}
