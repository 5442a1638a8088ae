import { join } from 'node:path';
import { type Program, startProgram } from '../../bench/program.ts';
import type { RowRun } from '../../bench/row.ts';
import type { Site } from '../../bench/site.ts';
import { createRegions, until, withSql } from '../../support/control-plane.ts';

/** How one region's agent differs from the others. */
export type AgentChanges = { url?: string; env?: Record<string, string>; execArgv?: string[] };

/** Real agents by region. */
export type Agents = {
  programs: Record<string, Program>;
  /** Stops them gracefully: running checks end, and what is in the spools is sent. */
  stop(): Promise<void>;
};

export const threeRegions = ['ap-south', 'eu-west', 'us-east'] as const;

/** Starts one real agent in each of these new regions and waits until all are online. */
export async function startAgents(
  site: Site,
  { opened, progress }: RowRun,
  regions: readonly string[] = threeRegions,
  changesOf: (region: string) => AgentChanges = () => ({}),
): Promise<Agents> {
  const secrets = await createRegions(site.databaseUrl, regions);
  const programs: Record<string, Program> = {};
  for (const region of regions) {
    const { url, env, execArgv } = changesOf(region);
    const settings = {
      CONTROL_PLANE_URL: url ?? site.url,
      AGENT_SECRET: secrets[region]?.secret ?? '',
      DATA_DIR: join(site.folder, `agent-${region}`),
      ADDRESS_POLICY: 'loopback',
      LOG_LEVEL: 'warn',
      ...env,
    };
    const logFile = join(site.folder, `agent-${region}.log`);
    programs[region] = opened.use(
      startProgram('agent/main.ts', { env: settings, logFile, ...(execArgv === undefined ? {} : { execArgv }) }),
    );
  }
  await until(
    () => withSql(site.databaseUrl, sql => sql.rows`select 1 from agents where online`),
    rows => rows.length === regions.length,
    60_000,
  );
  progress(`${regions.length} agents are online`);
  return {
    programs,
    stop: async () => {
      await Promise.all(Object.values(programs).map(program => program.end('SIGTERM')));
    },
  };
}
