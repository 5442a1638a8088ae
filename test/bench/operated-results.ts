import { dayMs, hourMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
import { apiOf } from '../support/control-plane.ts';
import { audit, isWhole } from './load/audit.ts';
import { type Load, openLoad } from './load/load.ts';
import { load, measureRound, type ResultsSample } from './results.ts';
import { median, type Row, type RowRun, round } from './row.ts';
import { openSite, type Site } from './site.ts';

const target = { ratio: 1.1 };
const counts = { routes: 20, windows: 5 };
const rounds = { small: 3, full: 5 };
const warmUpMs = 6000;

/** P2-operated: what results cost once a project has routes, windows of maintenance and labels on every monitor. */
export async function measureOperated(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const agents = await openLoad(site, run, load);
  const without = await measureRounds(site, agents, run);
  await operate(site, agents);
  run.progress('routes, windows and labels are there');
  const operated = await measureRounds(site, agents, run);
  const audited = await audit(site.databaseUrl, await agents.ledger());
  const cpu = (samples: readonly ResultsSample[]) => median(samples.map(sample => sample.cpuSecondsPer10k));
  const figure = {
    cpuSecondsPer10k: round(cpu(operated)),
    withoutCpuSecondsPer10k: round(cpu(without)),
    ratio: round(cpu(operated) / cpu(without)),
    ...audited,
  };
  const pass = figure.ratio <= target.ratio && isWhole(audited);
  return { name: 'P2-operated', figure, target, pass, versions: await site.versions(), samples: { without, operated } };
}

async function measureRounds(site: Site, agents: Load, { full, progress }: RowRun): Promise<ResultsSample[]> {
  agents.go();
  await wait(warmUpMs);
  await agents.drain();
  const samples: ResultsSample[] = [];
  for (let index = 0; index < (full ? rounds.full : rounds.small); index++) {
    const sample = await measureRound(site, agents);
    samples.push(sample);
    progress(`${Math.round(sample.resultsPerSecond)} results/s, ${round(sample.cpuSecondsPer10k)} s of CPU per 10,000`);
  }
  return samples;
}

/** What an operator sets up, by the API. */
async function operate(site: Site, { token }: Load): Promise<void> {
  const api = apiOf(site.url, token);
  const act = async (path: string, body: unknown) => {
    const answer = await api('POST', path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const labels = { env: 'production', team: 'shop', tier: '1' };
  while (await labelSome(api, labels));
  const channel = await act('/v0/channels', {
    name: 'hook',
    type: 'webhook',
    config: { url: 'https://hooks.example.com/x' },
  });
  for (let index = 0; index < counts.routes; index++)
    await act('/v0/routes', {
      name: `route ${index}`,
      match: { selector: `team=team-${index}` },
      steps: [{ after_minutes: 0, channel_ids: [channel.id] }],
    });
  const nowMs = Date.now();
  for (let index = 0; index < counts.windows; index++)
    await act('/v0/maintenances', {
      title: `window ${index}`,
      scope: { selector: 'tier=1' },
      starts_at: new Date(nowMs + (index === 0 ? -hourMs : index * dayMs)).toISOString(),
      ends_at: new Date(nowMs + (index === 0 ? dayMs / 2 : index * dayMs + hourMs)).toISOString(),
    });
}

/** Labels the next page of monitors that have none; false if there are none. */
async function labelSome(api: ReturnType<typeof apiOf>, labels: Record<string, string>): Promise<boolean> {
  const { data } = (await api('GET', '/v0/monitors?selector=%21team&limit=200')).body;
  if (data.length === 0) return false;
  const ids = data.map(({ id }: { id: string }) => id);
  const { status, body } = await api('POST', '/v0/monitors/bulk', { ids, action: 'add_labels', labels });
  if (status !== 200 || body.failed > 0) throw new Error(`bulk: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  return true;
}
