import { z } from 'zod';
import { dayMs } from '#shared/duration.ts';
import { type Answer, type Endpoint, type StepRequest, steppingEndpoint } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { selectorParameter } from '../selectors/schema.ts';
import type { Selector } from '../selectors/selector.ts';
import { formatOf, mediaTypes, writeMetrics } from './exposition.ts';
import { monitorFamilies } from './families.ts';
import { countMatching, readFacts } from './store.ts';
import { TextCache } from './text-cache.ts';

const monitorsMax = 5000;
/** In requests; one of them is charged to every call. */
const cost = 10;

type Request = StepRequest<unknown, { selector?: Selector | undefined }, unknown>;

/** The state of a project's monitors for Prometheus. */
export function monitorMetricsEndpoints(): readonly Endpoint[] {
  const cache = new TextCache();
  return [
    steppingEndpoint({
      method: 'get',
      path: '/v0/metrics',
      summary: 'Scrape the state of monitors: OpenMetrics 1.0, or Prometheus text 0.0.4, by `Accept`',
      tag: 'Monitors',
      scope: 'monitors:read',
      pool: 'reports',
      query: z.strictObject({ selector: selectorParameter.optional() }),
      answers: { 200: z.string() },
      mediaTypes: ['application/openmetrics-text', 'text/plain'],
      handleInSteps: request => scrape(cache, request),
    }),
  ];
}

async function scrape(cache: TextCache, { caller, query, accept, transact, charge, now }: Request): Promise<Answer> {
  const { selector = null } = query;
  const format = formatOf(accept);
  const key = JSON.stringify([caller.projectId, selector, format]);
  const content = cache.get(key, now()) ?? (await transact(sql => countMatching(sql, caller.projectId, selector)));
  if (typeof content === 'number' && content > monitorsMax) {
    const detail = `${content} monitors match; at most ${monitorsMax} fit in a scrape: use a selector`;
    throw new Problem('invalid_parameter', {
      detail,
      errors: [{ parameter: 'selector', code: 'out_of_range', detail }],
    });
  }
  await charge(cost - 1);
  if (typeof content === 'string') return { status: 200, text: { type: mediaTypes[format], content } };
  const nowMs = now();
  const facts = await transact(sql => readFacts(sql, caller.projectId, selector, nowMs - 30 * dayMs));
  const text = writeMetrics(monitorFamilies(facts, nowMs), format);
  cache.set(key, text, nowMs);
  return { status: 200, text: { type: mediaTypes[format], content: text } };
}
