import { startTarget } from '../../support/target.ts';
import { threeRegions } from '../harness/agents.ts';
import type { Attack } from './attack.ts';
import { repeat, talliedApi } from './calls.ts';

const hanging = 60;
const heavy = 8;

/** H8: checks that hang, expensive patterns, paths and literals, and p95 over everything, on agents that all share. */
export const checkHeavily: Attack = async (grounds, tally, signal, begun) => {
  const api = talliedApi(grounds, tally);
  const items = Array.from({ length: 20_000 }, (_, index) => ({ a: index, b: [{ a: 'aaaaaaaaaa' }] }));
  const document = JSON.stringify({ items });
  const letters = 'a'.repeat(1024 * 1024);
  await using target = await startTarget((request, response) => {
    if (request.url?.startsWith('/hang')) return;
    response.setHeader('x-long', 'a'.repeat(4000));
    response.end(request.url?.startsWith('/literals') ? letters : document);
  });
  const pattern = Array.from({ length: 50 }, (_, index) => ({
    type: 'header',
    name: 'x-long',
    operator: 'matches',
    value: `a{1000}b{${900 + index}}`,
  }));
  const paths = Array.from({ length: 50 }, () => ({
    type: 'json_path',
    path: '$..a',
    operator: 'eq',
    value: 'never',
  }));
  const p95 = Array.from({ length: 50 }, (_, index) => ({
    type: 'latency_p95',
    operator: 'lt',
    value_ms: 1 + index,
    window_minutes: 1440,
  }));
  // Nearly found at each place of the body.
  const literals = Array.from({ length: 7 }, (_, index) => ({
    type: 'body_contains',
    operator: 'not_contains',
    value: `${'ab'.repeat(index + 1)}${'a'.repeat(8000)}`,
  }));
  const kinds: readonly [path: string, count: number, assertions: unknown[]][] = [
    ['hang', hanging, []],
    ['pattern', heavy, pattern],
    ['paths', heavy, paths],
    ['p95', heavy, p95],
    ['literals', heavy, literals],
  ];
  for (const [path, count, assertions] of kinds)
    for (let index = 0; index < count && !signal.aborted; index++) {
      // As many assertions as the product takes: fewer after each refusal.
      for (let size = assertions.length; ; size = Math.floor(size / 2)) {
        const made = await api('POST', '/v0/monitors', {
          name: `${path} ${index}`,
          url: `${target.url}${path}/${index}`,
          interval_seconds: 10,
          timeout_ms: 10_000,
          regions: threeRegions,
          assertions: assertions.slice(0, size),
        });
        if (made.status !== 422 || size === 0) break;
      }
    }
  begun();
  await repeat(1, signal, () => api('GET', '/v0/monitors?limit=1'));
  tally('checks at the target', target.requests.length);
};
