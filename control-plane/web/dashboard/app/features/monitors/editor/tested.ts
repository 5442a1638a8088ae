import { formatMs } from '../../../kit/milliseconds.ts';
import type { TestedRegion } from '../../../session/api-types.ts';

const problems: Readonly<Record<NonNullable<TestedRegion['problem']>, string>> = {
  no_agent: 'no agent is online there',
  no_able_agent: 'no agent there can do this: see what each can do under Regions',
  timeout: 'no agent answered in time',
};

/** What came of one attempt: `status 200 in 84 ms`, or what failed. */
export function describeTested({ result, problem }: Pick<TestedRegion, 'result' | 'problem'>): string {
  if (result === null) return problem === null ? 'no result' : problems[problem];
  const failed = result.assertions.filter(({ passed }) => passed === false);
  const found = [
    result.error === null ? null : result.error.message,
    ...failed.map(({ expected, actual }) => `expected ${expected}, got ${actual ?? 'nothing'}`),
  ].filter(text => text !== null);
  if (found.length > 0) return found.join('; ');
  const code = result.status_code === null ? 'it worked' : `status ${result.status_code}`;
  return result.latency_ms === null ? code : `${code} in ${formatMs(result.latency_ms)}`;
}
