import { join } from 'node:path';
import type { Got } from 'got';
import { readState, writeState } from './state-file.ts';

/** What the summary shows of the sample: a shop with a funnel and two releases. */
export type Sample = { project_id: string; flow_id: string };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const steps = ['product viewed', 'added to cart', 'paid'] as const;
const usersADay = 60;
const days = 6;
const batchSize = 500;

/** Made once a project: who deletes it does not get it back. */
export async function makeSampleShop(dataDir: string, projectId: string, api: Got): Promise<Sample> {
  const path = join(dataDir, 'sample.json');
  const kept = await readState<Sample>(path);
  if (kept?.project_id === projectId) return kept;
  const nowMs = Date.now();
  const releaseMs = nowMs - (days / 2) * dayMs;
  await api.post('v0/releases', {
    json: { version: '1.0', name: 'First shop', released_at: time(nowMs - (days + 1) * dayMs) },
  });
  await api.post('v0/releases', { json: { version: '1.1', name: 'Shorter checkout', released_at: time(releaseMs) } });
  const flow = await api
    .post('v0/flows', { json: { name: 'Purchase', steps: steps.map(event => ({ event })), window_seconds: 86_400 } })
    .json<{ id: string }>();
  const events = Array.from({ length: days * usersADay }, (_, place) => visit(place, nowMs, releaseMs)).flat();
  for (let start = 0; start < events.length; start += batchSize)
    await api.post('v0/events', { json: events.slice(start, start + batchSize) });
  const sample = { project_id: projectId, flow_id: flow.id };
  await writeState(path, sample);
  return sample;
}

/** One user's visit: the same at each start, more of them pay after the second release. */
function visit(place: number, nowMs: number, releaseMs: number) {
  const startMs = nowMs - (place / usersADay) * dayMs - hourMs;
  const pays = place % 10 < (startMs < releaseMs ? 2 : 4);
  const depth = pays ? 3 : place % 2 === 0 ? 2 : 1;
  return steps.slice(0, depth).map((name, step) => ({
    name,
    external_user_id: `sample-${place}`,
    timestamp: time(startMs + step * 4 * 60_000),
    props: { page: 'sample' },
  }));
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
