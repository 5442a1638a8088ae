import { wait } from '#shared/wait.ts';
import type { Sent } from '../../bench/load/protocol.ts';
import type { RowRun } from '../../bench/row.ts';
import type { Site } from '../../bench/site.ts';
import { apiOf, createRegions, createTenant, until } from '../../support/control-plane.ts';
import { badResults, goodResult } from '../../support/fake-agent.ts';
import { ScriptedAgent } from './scripted-agent.ts';

/** Three regions that report the same outages of the same monitors to several sites at the same instants. */
export type Script = {
  /** By site, in the order of the script. */
  monitorIds: readonly (readonly string[])[];
  ledgerOf(site: number): readonly Sent[];
  refused(): number;
  /** Ends all outages, goes on for a while, and resolves with the instant of the last slot once all is acknowledged. */
  end(): Promise<number>;
};

const regions = ['script-a', 'script-b', 'script-c'];
const monitors = 40;
const slotMs = 10_000;
/** Apart, so that results which come in another order than they were made are noticed. */
const staggerMs = 3000;
/** Both attempts of a failed check. */
const reportedAfterMs = 1100;
const calmSlots = 4;
const drainedWithinMs = 120_000;

/** Creates regions and monitors at each site and starts to report. */
export async function openScript(run: RowRun, sites: readonly Site[]): Promise<Script> {
  const casts = await Promise.all(sites.map(site => openCast(run, site)));
  let over = Number.POSITIVE_INFINITY;
  let stopped = false;
  run.opened.defer(() => {
    stopped = true;
  });
  const began = Math.ceil(Date.now() / 1000) * 1000 + 1000;
  const slots = regions.map((_, region) => (slot: number) => began + slot * slotMs + region * staggerMs);
  const play = async (region: number) => {
    for (let slot = 0; slot < over + calmSlots && !stopped; slot++) {
      const at = slots[region]?.(slot) ?? 0;
      await wait(Math.max(0, at + reportedAfterMs - Date.now()));
      for (const { agents, ids } of casts)
        agents[region]?.report(
          at,
          ids.flatMap((id, monitor) =>
            slot < over && isDown(monitor, region, slot) ? badResults(id, at) : [goodResult(id, at)],
          ),
        );
    }
  };
  const playing = Promise.all(regions.map((_, region) => play(region)));
  const agents = casts.flatMap(cast => cast.agents);
  return {
    monitorIds: casts.map(({ ids }) => ids),
    ledgerOf: site => casts[site]?.agents.flatMap(agent => agent.ledger) ?? [],
    refused: () => agents.reduce((sum, agent) => sum + agent.refused, 0),
    end: async () => {
      over = Math.ceil((Date.now() - began) / slotMs) + 1;
      await playing;
      await until(() => agents.every(agent => agent.isEmpty), true, drainedWithinMs);
      for (const agent of agents) agent.stop();
      return began + (over + calmSlots - 1) * slotMs;
    },
  };
}

/**
 * Pure: whether a region sees a monitor fail. Two thirds of the monitors fail everywhere or in two of three regions,
 * for 30 to 60 seconds, each at times of its own; some fail in one region, which is no outage; the others never do.
 */
function isDown(monitor: number, region: number, slot: number): boolean {
  const kind = monitor % 6;
  const period = 13 + (monitor % 5);
  const fails = slot >= 2 && (slot + 3 * monitor) % period < 3 + (monitor % 4);
  if (kind < 3) return fails;
  if (kind === 3) return fails && region !== 1;
  return kind === 4 && fails && region === 0;
}

async function openCast(run: RowRun, site: Site) {
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(site.url, token);
  const secrets = await createRegions(site.databaseUrl, regions);
  const ids: string[] = [];
  for (let index = 0; index < monitors; index++) {
    const made = await api('POST', '/v0/monitors', {
      name: `Script ${index}`,
      url: 'http://127.0.0.1:1/',
      interval_seconds: slotMs / 1000,
      timeout_ms: 1000,
      regions,
      quorum: 2,
    });
    if (made.status !== 201) throw new Error(`the monitor was not created: ${JSON.stringify(made.body)}`);
    ids.push(String(made.body.id));
  }
  const agents = regions.map(region => {
    const agent = new ScriptedAgent(site.url, region, secrets[region]?.secret ?? '');
    run.opened.defer(() => agent.stop());
    return agent;
  });
  return { ids, agents };
}
