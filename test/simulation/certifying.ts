import { followSeen } from '#control-plane/monitoring/alerts/certificates/follow.ts';
import { dropFacts } from '#control-plane/monitoring/certificates/watch.ts';
import type { Accepted } from '#control-plane/monitoring/checks/intake/prepare.ts';
import { defaultCertificateRules } from '#control-plane/monitoring/monitors/alert-rules.ts';
import { certificatesOf, type MonitorState, watchOf } from '#control-plane/monitoring/monitors/state/state.ts';
import { markFlapping, openAlert, reopenAlert, resolveAlert } from './alerting.ts';
import type { Mutation } from './mutation.ts';
import type { Rows } from './rows.ts';

/**
 * Opens and resolves alerts about certificates by new results, as `followCertificates` does. `before` is the state as
 * it was locked, before the results were judged.
 */
export function followCertificates(
  rows: Rows,
  before: MonitorState,
  fresh: readonly Accepted[],
  nowMs: number,
  mutation: Mutation | null,
): void {
  const { monitorId } = before;
  const seen = fresh.filter(({ result }) => result.tls?.valid_from !== undefined);
  const watched = seen.length === 0 ? undefined : followSeen(before, seen, nowMs)?.watched;
  if (watched === undefined) return;
  if (mutation !== 'certificates are forgotten') writeWatch(rows, monitorId, watched.watch);
  for (const transition of watched.transitions) {
    const { at } = transition;
    if (transition.type === 'open') openAlert(rows, monitorId, { kind: 'certificate', at, startedAt: at });
    if (transition.type === 'reopen') reopenAlert(rows, monitorId, 'certificate', at);
    if (transition.type === 'flap') markFlapping(rows, monitorId, 'certificate', at);
    if (transition.type === 'resolve') resolveAlert(rows, monitorId, 'certificate', at, false);
  }
}

/** Other checks begin, as `followConfiguration` does. */
export function dropCertificates(rows: Rows, monitorId: string, atMs: number): void {
  const state = rows.states.get(monitorId);
  const watch = watchOf(state?.certificates ?? null);
  if (state === undefined || watch === null) return;
  writeWatch(rows, monitorId, dropFacts(watch, defaultCertificateRules, atMs, state.rules.intervalMs).watch);
}

function writeWatch(rows: Rows, monitorId: string, watch: Parameters<typeof certificatesOf>[1]): void {
  const state = rows.states.get(monitorId);
  if (state !== undefined)
    rows.states.put(monitorId, { ...state, certificates: certificatesOf(defaultCertificateRules, watch) });
}
