import type { RefusalReason } from '#control-plane/monitoring/checks/intake/accept.ts';
import { AskedChecks } from '#control-plane/monitoring/checks/intake/asked-checks.ts';
import { prepareBatch, type Reported } from '#control-plane/monitoring/checks/intake/prepare.ts';
import { hourMs } from '#shared/duration.ts';
import type { Confirmation } from '#shared/vocabulary.ts';
import { judge } from './judging.ts';
import type { Mutation } from './mutation.ts';
import { keyOf, type Rows, type StoredResult } from './rows.ts';
import { followSignals } from './signals.ts';
import type { World } from './world.ts';

export type Recorded = { refusals: (RefusalReason | null)[]; confirmations: Confirmation[] };

/** Agents of shared regions need not prove that a check was asked for. */
const noneAsked = new AskedChecks();

const hasNoKey: readonly (Mutation | null)[] = ['no unique key', 'no stored sequence and no unique key'];

/** Stores and judges a batch in one transaction, as `recordResults` does. */
export function record(world: World, rows: Rows, reported: readonly Reported[], nowMs: number): Recorded {
  const { mutation, ledger } = world;
  const versions = reported.map(
    ({ result }) =>
      rows.monitors
        .get(result.monitor_id)
        ?.versions.find(({ stored }) => stored.rules.configVersion === result.config_version)?.rules,
  );
  const isLax = mutation === 'certificates are no part of verdicts';
  const applied = isLax ? versions.map(rules => rules && { ...rules, warning: null }) : versions;
  const { refusals, accepted } = prepareBatch(reported, applied, noneAsked, nowMs);
  for (const [index, { agentId, result }] of reported.entries())
    if (refusals[index] !== null) ledger.refused(agentId, result.seq);
  const arrived = followSignals(world, rows, accepted);
  const fresh = arrived.filter(({ result }) => rows.results.get(keyOf(result)) === undefined);
  const counted = hasNoKey.includes(mutation) ? arrived : fresh;
  for (const { result } of counted) {
    world.note(() => textOf(world, result, nowMs));
    rows.results.put(keyOf(result), result);
    if (result.kind !== 'scheduled' || result.attempt !== 1) continue;
    const hour = `${result.monitor_id} ${Math.floor(result.scheduled_at / hourMs)}`;
    rows.tallies.put(hour, (rows.tallies.get(hour) ?? 0) + 1);
  }
  return { refusals, confirmations: judge(rows, counted, nowMs, mutation) };
}

function textOf({ startMs }: World, result: StoredResult, nowMs: number): string {
  const { monitor_id: id, region, kind, attempt, status, config_version: version } = result;
  const [started, completed, received] = [result.started_at, result.completed_at, result.receivedAt].map(
    at => (at - startMs) / 1000,
  );
  const what = `monitor ${id.slice(-1)} v${version} ${region} ${kind} attempt ${attempt} ${status}`;
  return `stores ${what}, ${started} to ${completed}, received ${received}, judged ${(nowMs - startMs) / 1000}`;
}
