import type { CheckResult } from '../../../session/api-types.ts';

type Group = { newest: CheckResult; count: number; oldest: CheckResult };

/** Folds results in a row with the same region, outcome and text; the order stays. Good ones fold too. */
export function foldChecks(checks: readonly CheckResult[]): Group[] {
  const groups: Group[] = [];
  const open = new Map<string, Group>();
  for (const check of checks) {
    const group = open.get(check.region);
    if (group !== undefined && outcomeOf(group.oldest) === outcomeOf(check)) {
      group.count += 1;
      group.oldest = check;
      continue;
    }
    const started = { newest: check, count: 1, oldest: check };
    groups.push(started);
    open.set(check.region, started);
  }
  return groups;
}

function outcomeOf({ status, status_code, error, assertions }: CheckResult): string {
  const failed = assertions.filter(({ passed }) => passed === false).map(({ expected, actual }) => [expected, actual]);
  return JSON.stringify([status, status_code, error?.code, error?.message, failed]);
}
