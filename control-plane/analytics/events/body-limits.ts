import { type BodyBudget, createBodyBudget } from '../../platform/http/bodies/body-budget.ts';
import type { JsonLimits, JsonSize } from '../../platform/http/bodies/json-size.ts';
import { Problem } from '../../platform/http/problem.ts';
import { limits, type Source } from './event.ts';
import type { IngestBucket, IngestLimits } from './limits.ts';

/** Who sends a body, how large it is, inflated, and what its JSON holds. */
export type SentBody = { projectId: string; source: Source; address: string; bytes: number; size: JsonSize };

const mib = 1_048_576;
const kibPerMib = 1024;
/** Four whole bodies of a page at once, and one a second: several times what its events may cost in the same time. */
const address = { capacity: kibPerMib, perSecond: kibPerMib / 4 };
/** At least one whole body a second; otherwise this much for each event that the project may send. */
const projectPerSecondMin = 5 * kibPerMib;
const kibPerEvent = 10;
const projectSeconds = 4;
/** Looking up its token and its project costs a small request more than its body. */
const serverRequestKib = 4;
/** That many values take as long to parse as a KiB of large texts, and longer. */
const valuesPerKib = 32;

/** 100 values an event of the largest batch, with its fields: five times what is usual. */
export function jsonLimitsOf(source: Source): JsonLimits {
  const values = 100 * batchMaxOf(source);
  return { values, names: values };
}

/** Most events of a request. */
function batchMaxOf(source: Source): number {
  return source === 'server' ? limits.batch : limits.browserBatch;
}

/** What a body takes before it is parsed, in KiB: of its project, or for a page of the address it comes from. */
export function bodyBucket(body: SentBody, project: IngestLimits): IngestBucket {
  const kib = Math.max(Math.ceil(body.bytes / 1024), Math.ceil(body.size.values / valuesPerKib));
  if (body.source === 'browser') return { key: `address ${body.address}`, ...address, amount: kib, floor: 0 };
  const perSecond = Math.max(projectPerSecondMin, project.burst_per_second * kibPerEvent);
  const capacity = perSecond * projectSeconds;
  return { key: `project ${body.projectId}`, capacity, perSecond, amount: Math.max(serverRequestKib, kib), floor: 0 };
}

/** Throws if a batch is empty or has too many events. */
export function checkSize(items: readonly unknown[], source: Source): void {
  if (items.length === 0) throw new Problem('empty_batch');
  const batchMax = batchMaxOf(source);
  if (items.length > batchMax)
    throw new Problem('batch_too_large', { detail: `a batch may have at most ${batchMax} events` });
}

/** Anyone can pose as a page, so browser requests have their own memory budget and cannot exhaust the servers'. */
export const createBodyBudgets = (): Record<Source, BodyBudget> => ({
  server: createBodyBudget({ bodyBytesMax: 5 * mib, bytesMax: 256 * mib, perCallerMax: Number.POSITIVE_INFINITY }),
  browser: createBodyBudget({ bodyBytesMax: mib / 4, bytesMax: 64 * mib, perCallerMax: 32 }),
});
