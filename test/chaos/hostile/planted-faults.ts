import { apiOf } from '../../support/control-plane.ts';
import { badResults, connectFakeAgent, goodResult } from '../../support/fake-agent.ts';
import { plantFault } from '../../support/planted-fault.ts';
import type { Attack } from './attack.ts';
import { repeat, talliedApi } from './calls.ts';

const monitors = 20;

/** What the database refuses to do to rows of the project: each of these is written by another loop. */
const faults = [
  ['verdict_changes', 'insert'],
  ['alerts', 'insert'],
  ['alerts', 'update'],
  ['alert_groups', 'insert'],
  ['deliveries', 'update'],
  ['page_requests', 'delete'],
  ['check_totals', 'insert'],
  ['facts', 'delete'],
  ['audit', 'delete'],
] as const;

/**
 * H12: whatever the control plane does for this project fails, one loop after the other: its monitors flap, its page is
 * published, its webhooks are called.
 */
export const plantFaults: Attack = async (grounds, tally, signal, begun) => {
  const { projectId, databaseUrl, url } = grounds;
  const api = talliedApi(grounds, tally);
  const quiet = apiOf(url, grounds.token);
  const [secret = ''] = grounds.agentSecrets;
  await using agent = await connectFakeAgent(url, secret);
  const ids: string[] = [];
  for (let index = 0; index < monitors; index++) {
    const body = {
      name: `faulty ${index}`,
      url: 'https://shop.example/',
      interval_seconds: 3600,
      regions: ['hostile-own'],
      alert_rules: index % 2 === 0 ? {} : { confirm_seconds: 1, recover_seconds: 1 },
    };
    ids.push((await quiet('POST', '/v0/monitors', body)).body.id);
  }
  await quiet('POST', '/v0/webhooks', { url: 'http://127.0.0.1:9/', kinds: ['alert.opened', 'incident.opened'] });
  begun();
  await repeat(1, signal, async count => {
    const [table, on] = faults[count % faults.length] ?? faults[0];
    const fault = await plantFault(databaseUrl, { table, on, column: 'project_id', value: projectId });
    for (const report of [badResults, goodResult]) {
      const at = Date.now();
      const results = ids.flatMap(id => report(id, at, { kind: 'confirm' }));
      const refused = await agent.report(results);
      tally(`results with ${table} ${on}`, results.length);
      for (const { reason } of refused) tally(`refused: ${reason}`);
    }
    for (const id of ids.slice(0, 3)) {
      await api('POST', `/v0/monitors/${id}/pause`);
      await api('POST', `/v0/monitors/${id}/resume`);
    }
    await api('POST', '/v0/incidents', { title: 'x', severity: 'p3', status_page_id: grounds.pageId });
    await fault.remove();
  });
};
