import type { VersionRules } from '#control-plane/monitoring/checks/intake/accept.ts';
import type { NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import {
  type MonitorState,
  type Rules,
  type Vote,
  voteLifetimeMs,
} from '#control-plane/monitoring/monitors/state/state.ts';
import type { Observation } from '#control-plane/monitoring/verdicts/vote.ts';
import { makeResult } from './results.ts';

/** Three regions with a quorum of two, checked every ten seconds. */
export const testRules: Rules = {
  configVersion: 1,
  regions: ['a', 'b', 'c'],
  quorum: 2,
  intervalMs: 10_000,
  timeoutMs: 1000,
  enabled: true,
  deleted: false,
};

/** How long a vote under `testRules` counts. */
export const lifetimeMs = voteLifetimeMs(testRules.intervalMs, testRules.timeoutMs);

/** A monitor under `testRules` without votes, pending since the epoch; `changes` win. */
export function makeState(changes: Partial<MonitorState> = {}): MonitorState {
  return {
    monitorId: 'mon_1',
    projectId: 'proj_1',
    rules: testRules,
    verdict: 'pending',
    since: 0,
    earliestStart: 0,
    votes: {},
    confirmedAt: null,
    sweepAt: null,
    replayFrom: null,
    certificates: null,
    currentHour: null,
    ...changes,
  };
}

/** An up vote cast at `at`; `changes` win. */
export function makeVote(at: number, changes: Partial<Vote> = {}): Vote {
  return {
    vote: 'up',
    since: at,
    as_of: at,
    expires_at: at + lifetimeMs,
    failing_since: null,
    judged_at: at,
    ...changes,
  };
}

/** The completion of a check at `at` that took 5 ms; good unless changed. */
export function makeObservation(at: number, changes: Partial<Observation> = {}): Observation {
  return {
    region: 'a',
    status: 'ok',
    failureSource: null,
    attempt: 1,
    startedAt: at - 5,
    asOf: at,
    expiresAt: at + lifetimeMs,
    ...changes,
  };
}

/** A result about to be stored that completed and was received at `at`; good unless changed. */
export function makeNewResult(at: number, changes: Partial<NewResult> = {}): NewResult {
  return {
    ...makeResult({ monitor_id: 'mon_1', scheduled_at: at, started_at: at - 5, completed_at: at }),
    seq: 1,
    region: 'a',
    agentId: 'agt_1',
    receivedAt: at,
    bin: null,
    ...changes,
  };
}

/** What a failed attempt changes of a result or an observation. */
export const failed = { status: 'err', failure_source: 'target' } as const;

/** The version that `testRules` are of; `changes` win. */
export function makeVersion(changes: Partial<VersionRules> = {}): VersionRules {
  return {
    projectId: 'proj_1',
    atMs: 0,
    regions: testRules.regions,
    intervalMs: testRules.intervalMs,
    timeoutMs: testRules.timeoutMs,
    p95: [],
    warning: null,
    ...changes,
  };
}
