import { join } from 'node:path';
import type { Got } from 'got';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { readState, writeState } from './state-file.ts';

/** A sample shop with a funnel and two releases, as the summary names it. */
export type Sample = { project_id: string; flow_id: string };

const steps = ['product viewed', 'added to cart', 'paid'] as const;
const usersPerDay = 60;
const days = 6;
const batchSize = 500;

/** Creates the shop once per project: deleted, it is not created again. */
export async function createSampleShop(dataDir: string, projectId: string, api: Got): Promise<Sample> {
  const path = join(dataDir, 'sample.json');
  const stored = await readState<Sample>(path);
  if (stored?.project_id === projectId) return stored;
  const nowMs = Date.now();
  const releaseMs = nowMs - (days / 2) * dayMs;
  await api.post('v0/releases', {
    json: { version: '1.0', name: 'First shop', released_at: time(nowMs - (days + 1) * dayMs) },
  });
  await api.post('v0/releases', { json: { version: '1.1', name: 'Shorter checkout', released_at: time(releaseMs) } });
  const flow = await api
    .post('v0/flows', { json: { name: 'Purchase', steps: steps.map(event => ({ event })), window_seconds: 86_400 } })
    .json<{ id: string }>();
  const events = Array.from({ length: days * usersPerDay }, (_, user) => visit(user, nowMs, releaseMs)).flat();
  for (let start = 0; start < events.length; start += batchSize)
    await api.post('v0/events', { json: events.slice(start, start + batchSize) });
  const sample = { project_id: projectId, flow_id: flow.id };
  await writeState(path, sample);
  return sample;
}

/** The events of one user's visit. Not random; a larger share of users pays after the second release. */
function visit(user: number, nowMs: number, releaseMs: number) {
  const startMs = nowMs - (user / usersPerDay) * dayMs - hourMs;
  const pays = user % 10 < (startMs < releaseMs ? 2 : 4);
  const depth = pays ? 3 : user % 2 === 0 ? 2 : 1;
  return steps.slice(0, depth).map((name, step) => ({
    name,
    external_user_id: `sample-${user}`,
    timestamp: time(startMs + step * 4 * minuteMs),
    props: { page: 'sample' },
  }));
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
