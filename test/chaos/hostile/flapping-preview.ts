import { withSql } from '../../support/control-plane.ts';
import type { Attack } from './attack.ts';
import { repeat, talliedApi } from './calls.ts';

const [monitors, components, changesOfMonitor] = [40, 55, 5000];
const lines = 3;

/** H11: previews of a page whose components all follow the same monitors, which flapped for a month. */
export const previewFlaps: Attack = async (grounds, tally, signal, begun) => {
  const api = talliedApi(grounds, tally);
  const url = 'http://127.0.0.1:1/';
  const monitor = { url, interval_seconds: 86_400, regions: ['hostile-own'], labels: { flaps: 'yes' } };
  for (let index = 0; index < monitors; index++) await api('POST', '/v0/monitors', { ...monitor, name: `m${index}` });
  const component = { status_page_id: grounds.pageId, monitor_selector: 'flaps=yes' };
  for (let index = 0; index < components; index++)
    await api('POST', '/v0/components', { ...component, name: `c${index}` });
  // A month of flapping, which an attacker has to wait for.
  await withSql(
    grounds.databaseUrl,
    sql => sql.run`
      insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
      select m.id, now() - interval '30 days' + flap * interval '8 minutes', m.project_id,
        case flap % 2 when 0 then 'up' else 'down' end, '{}', 1
      from monitors m
      cross join generate_series(1, ${changesOfMonitor}) as flap
      where m.project_id = ${grounds.projectId}
      on conflict do nothing`,
  );
  begun();
  await repeat(lines, signal, count =>
    api('POST', `/v0/status-pages/${grounds.pageId}/preview`, { description: `Version ${count}` }),
  );
};
