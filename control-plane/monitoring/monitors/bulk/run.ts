import { secondMs } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import type { Change } from '../../../platform/audit/entry.ts';
import type { Sql } from '../../../platform/db/sql.ts';
import type { Answer, StepRequest } from '../../../platform/http/endpoint/endpoint.ts';
import { isOfRequest } from '../../../platform/http/endpoint/idempotency.ts';
import { fieldProblem, Problem } from '../../../platform/http/problem.ts';
import { parseSelector } from '../../../platform/selectors/parse.ts';
import type { MonitorServices } from '../configure.ts';
import { actionOf, type BulkBody, type BulkItem, bulkAnswer, bulkMax } from './bulk.ts';
import { applyToMonitor } from './item.ts';
import {
  addItem,
  type BulkRun,
  type Chosen,
  chooseMatching,
  chooseNamed,
  deleteRun,
  findRun,
  type Progress,
  takeRun,
} from './store.ts';

type Request = StepRequest<unknown, unknown, BulkBody>;

/** Without a sign of life for this long, a repetition may take the call over. */
const leaseMs = 30 * secondMs;
/** Items of a call that cost as much as one request. */
const itemsPerCharge = 10;

/**
 * Applies an action to many monitors, each in a transaction of its own; one failure stops no other. With an
 * Idempotency-Key the repetition of an interrupted call does the rest, and its answer is stored with the last item.
 */
export async function runBulk(services: MonitorServices, request: Request): Promise<Answer> {
  const { body, caller, idempotent, transact } = request;
  const isDry = body.dry_run;
  const run: BulkRun | null =
    idempotent === null || isDry
      ? null
      : { projectId: caller.projectId, ...idempotent, runner: newId('req', request.now()) };
  const planned = await transact(sql => plan(sql, request, run));
  if ('stored' in planned) return planned.stored;
  const { chosen, items } = planned;
  const rest = chosen.slice(items.length);
  await request.charge(rest.length / itemsPerCharge);
  const stored = run === null ? null : await transact(sql => begin(sql, request, run, chosen));
  if (stored !== null) return stored;
  for (const [index, monitor] of rest.entries()) {
    const isLast = index === rest.length - 1;
    items.push(await runItem(services, request, monitor, { run, done: isLast ? items : null }));
  }
  const answer = answerOf(items, isDry);
  if (rest.length === 0 && !isDry) await transact(sql => finish(sql, request, run, answer));
  return answer;
}

/**
 * What the call is about, and what an interrupted one with the same key has done of it; or the response of one that has
 * ended since this request came.
 */
async function plan(
  sql: Sql,
  { body, caller, findStored }: Request,
  run: BulkRun | null,
): Promise<Progress | { stored: Answer }> {
  const unfinished = run === null ? null : await findRun(sql, run);
  if (unfinished !== null && run !== null) {
    if (!isOfRequest(unfinished.fingerprint, run)) throw new Problem('idempotency_key_reused');
    return unfinished;
  }
  const stored = run === null ? null : await findStored(sql);
  if (stored !== null) return { stored };
  const { selector, ids = [], expected_count: expected, dry_run: isDry } = body;
  if (selector === undefined) return { chosen: await chooseNamed(sql, caller.projectId, ids), items: [] };
  const { matched, chosen } = await chooseMatching(sql, caller.projectId, parseSelector(selector), bulkMax);
  if (!isDry && matched !== expected)
    throw new Problem('count_changed', { detail: `${matched} monitors match now`, extra: { matched } });
  if (matched > bulkMax)
    throw fieldProblem('/selector', 'out_of_range', `matches ${matched} monitors; at most ${bulkMax} fit in a call`);
  return { chosen, items: [] };
}

/**
 * Takes the call, unless another with its key has ended since the plan: then it returns the response of that one. It is
 * looked for last, since taking the call waits for the transaction that ends the other.
 */
async function begin(
  sql: Sql,
  { now, findStored }: Request,
  run: BulkRun,
  chosen: readonly Chosen[],
): Promise<Answer | null> {
  const nowMs = now();
  const isTaken = await takeRun(sql, run, chosen, { nowMs, untilMs: nowMs + leaseMs });
  if (!isTaken) throw new Problem('idempotency_in_progress', { retryAfter: 1 });
  const stored = await findStored(sql);
  if (stored !== null) await deleteRun(sql, run);
  return stored;
}

/** `done` has the items before the last one; null if this is not the last. */
async function runItem(
  services: MonitorServices,
  request: Request,
  { id, name }: Chosen,
  { run, done }: { run: BulkRun | null; done: readonly BulkItem[] | null },
): Promise<BulkItem> {
  const { caller, body, transact } = request;
  const target = { projectId: caller.projectId, scopes: caller.scopes, id };
  const keep = async (sql: Sql, item: BulkItem): Promise<BulkItem> => {
    if (run !== null && !(await addItem(sql, run, item, request.now() + leaseMs)))
      throw new Problem('idempotency_in_progress', { retryAfter: 1 });
    if (done !== null) await finish(sql, request, run, answerOf([...done, item], false));
    return item;
  };
  const apply = async (sql: Sql): Promise<BulkItem> => {
    const nowMs = request.now();
    const change = await applyToMonitor(sql, services, target, actionOf(body), nowMs);
    const item: BulkItem = { id, name, outcome: change === null ? 'unchanged' : 'changed' };
    if (body.dry_run) return item;
    if (change !== null && change !== 'asked') await request.record(sql, named(change, body.action), nowMs);
    return keep(sql, item);
  };
  try {
    return await transact(apply, { undo: body.dry_run });
  } catch (error) {
    if (error instanceof Problem && error.code === 'idempotency_in_progress') throw error;
    const problem = request.describe(error, `/v0/monitors/${id}`);
    if (problem === null) throw error;
    const failed: BulkItem = { id, name, outcome: 'failed', problem };
    return body.dry_run ? failed : transact(sql => keep(sql, failed));
  }
}

/** The entry as the single call would have named it. */
function named(change: Change, action: BulkBody['action']): Change {
  if (action === 'pause') return { ...change, action: 'monitor.paused' };
  return action === 'resume' ? { ...change, action: 'monitor.resumed' } : change;
}

async function finish(sql: Sql, request: Request, run: BulkRun | null, answer: Answer): Promise<void> {
  await request.save(sql, answer);
  if (run !== null) await deleteRun(sql, run);
}

function answerOf(items: readonly BulkItem[], isDry: boolean): Answer {
  return { status: 200, body: bulkAnswer(items, isDry) };
}
