import { z } from 'zod';
import { allows } from '../../platform/http/endpoint/caller.ts';
import { type Answer, type Endpoint, type StepRequest, stepEndpoint } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { selectorParameter } from '../../platform/selectors/schema.ts';
import type { Selector } from '../../platform/selectors/selector.ts';
import { formatOf, mediaTypes, writeMetrics } from './exposition.ts';
import { monitorFamilies } from './families.ts';
import { countMatching, readFacts, type Size } from './store.ts';
import { TextCache } from './text-cache.ts';

const monitorsMax = 5000;
/** Of all its monitors together: each has several lines. */
const regionsMax = 25_000;
/** In requests; one of them is charged to every call. */
const cost = 10;
/** One request more is charged for as many, if the text is not at hand. */
const regionsPerRequest = 250;

type Request = StepRequest<unknown, { selector?: Selector | undefined }, unknown>;

/** The state of a project's monitors for Prometheus. */
export function monitorMetricsEndpoints(): readonly Endpoint[] {
  const cache = new TextCache();
  return [
    stepEndpoint({
      method: 'get',
      path: '/v0/metrics',
      summary: 'Scrape the state of monitors: OpenMetrics 1.0, or Prometheus text 0.0.4, by `Accept`',
      operation: 'getMonitorMetrics',
      tag: 'Monitors',
      scope: 'monitors:read',
      pool: 'reports',
      query: z.strictObject({ selector: selectorParameter.optional() }),
      answers: { 200: z.string() },
      mediaTypes: ['application/openmetrics-text', 'text/plain'],
      handle: request => scrape(cache, request),
    }),
  ];
}

async function scrape(cache: TextCache, { caller, query, accept, transact, charge, now }: Request): Promise<Answer> {
  const { selector = null } = query;
  const format = formatOf(accept);
  const answer = (content: string) => ({ status: 200, text: { type: mediaTypes[format], content } });
  const wanted = { projectId: caller.projectId, selector, withChannels: allows(caller.scopes, 'channels:read') };
  const key = JSON.stringify([wanted, format]);
  const kept = cache.get(key, now());
  if (kept !== null) {
    await charge(cost - 1);
    return answer(kept);
  }
  const size = await transact(sql => countMatching(sql, caller.projectId, selector));
  refuseLarge(size);
  await charge(cost - 1 + Math.floor(size.regions / regionsPerRequest));
  const nowMs = now();
  const facts = await transact(sql => readFacts(sql, wanted, nowMs));
  const text = await writeMetrics(monitorFamilies(facts, nowMs), format);
  cache.set(key, text, nowMs);
  return answer(text);
}

function refuseLarge({ monitors, regions }: Size): void {
  if (monitors <= monitorsMax && regions <= regionsMax) return;
  const found = `${monitors} monitors with ${regions} regions together match`;
  const detail = `${found}; at most ${monitorsMax} with ${regionsMax} fit in a scrape: use a selector`;
  throw new Problem('invalid_parameter', {
    detail,
    errors: [{ parameter: 'selector', code: 'out_of_range', detail }],
  });
}
