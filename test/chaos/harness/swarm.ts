import { enrollAgent } from '#control-plane/monitoring/agents/enroll.ts';
import { insertRegion } from '#control-plane/monitoring/agents/store.ts';
import { withSql } from '../../support/control-plane.ts';

/** Agents that hold a connection and check nothing. */
export type SwarmCommand = { type: 'connect'; url: string; secrets: readonly string[] };
/**
 * Sent ten times per second. `gaveUp`: connections without a welcome within ten seconds, or without pings;
 * `assignments`: what was put so far; `put`: monitors that a delta brought since the last report, with the time.
 */
export type SwarmReport = {
  type: 'report';
  connected: number;
  gaveUp: number;
  assignments: number;
  snapshots: number;
  put: readonly { monitorId: string; version: number; at: number }[];
};

/** Creates the regions, and agents in them in turn. Returns their secrets. */
export function enrolSwarm(databaseUrl: string, regions: readonly string[], count: number): Promise<string[]> {
  return withSql(databaseUrl, async sql => {
    for (const code of regions) await insertRegion(sql, { code, name: code, projectId: null }, Date.now());
    const secrets: string[] = [];
    for (let index = 0; index < count; index++) {
      const region = regions[index % regions.length] ?? '';
      const agent = await enrollAgent(sql, region, `agent-${index}`, Date.now());
      if (agent !== null) secrets.push(agent.secret);
    }
    return secrets;
  });
}
