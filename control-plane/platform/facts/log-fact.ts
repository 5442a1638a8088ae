import type { Logger } from '#shared/log.ts';
import type { Fact, FactKind } from './fact.ts';

/** Kinds that concern everybody's checks have a level and words of their own. */
const regionLines: Partial<Record<FactKind, { level: 'warn' | 'error'; message: string }>> = {
  'region.quarantined': {
    level: 'error',
    message:
      'region quarantined: only its checks fail, so its votes do not count until they agree with the other regions',
  },
  'region.returned': { level: 'warn', message: 'region returned from quarantine' },
};

/** What the operator reads of a fact. A notice of no project is the operator's own, and a warning. */
export function logFact(log: Logger, { kind, subject, projectId, payload }: Fact): void {
  const line = regionLines[kind];
  if (line !== undefined)
    return log[line.level]({ region: subject, project: projectId ?? 'all', ...payload }, line.message);
  log[projectId === null ? 'warn' : 'info']({ fact: kind, subject, project: projectId, ...payload }, kind);
}
