import { instant } from '#control-plane/platform/db/sql.ts';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import { withSql } from './control-plane.ts';
import type { DashboardWorld } from './dashboard-world.ts';

/** What there is to operate in a project: ids by name. */
export type Operations = { channel: string; route: string; recurring: string; current: string; alert: string };

/** Labels, maintenance windows, channels in each state, routes, notices and alerts with one cause. */
export async function seedOperations(
  databaseUrl: string,
  { api, ids }: Pick<DashboardWorld, 'api' | 'ids'>,
): Promise<Operations> {
  const made = async (path: string, body: unknown) => {
    const reply = await api('POST', path, body);
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };
  for (const [index, id] of Object.values(ids).entries()) {
    const labels = { env: index % 3 === 0 ? 'staging' : 'prod', team: ['web', 'data'][index % 2] };
    await api('PATCH', `/v0/monitors/${id}`, { labels });
  }
  const [component] = (await api('GET', '/v0/components')).body.data;
  const [current] = (await api('GET', '/v0/maintenances?state=in_progress')).body.data;
  const recurring = await made('/v0/maintenances', {
    title: 'Database maintenance',
    description: 'The shop is **read-only** for a few minutes.',
    scope: { selector: 'env=prod', component_ids: [component.id] },
    schedule: {
      start: `${nextSunday()}T02:30:00`,
      timezone: 'Europe/Berlin',
      duration_seconds: 5400,
      rrule: 'FREQ=WEEKLY;BYDAY=SU',
      exclude: [],
    },
    announced: true,
  });
  const at = (ms: number) => toTimestamp(Date.now() + ms);
  const scope = { monitor_ids: [ids.Shop, ids.Payments] };
  await made('/v0/maintenances', {
    title: 'Move to the new data centre',
    scope,
    starts_at: at(2 * dayMs),
    ends_at: at(2 * dayMs + 7 * hourMs),
  });
  await made('/v0/maintenances', {
    title: 'New switches',
    scope,
    starts_at: at(-3 * dayMs),
    ends_at: at(-70 * hourMs),
  });
  await made(`/v0/maintenances/${recurring.id}/updates`, { state: 'scheduled', body: 'We test the **backup** first.' });

  const channel = (name: string, type: string, config: unknown) => made('/v0/channels', { name, type, config });
  const email = await channel('Operators', 'email', { to: ['ops@example.com', 'ada@example.com'] });
  const pager = await channel('On call', 'pagerduty', { routing_key: 'secret-routing-key' });
  const chat = await channel('Alerts in chat', 'teams', { url: 'https://example.com/teams/secret' });
  const route = await made('/v0/routes', {
    name: 'Production',
    match: { selector: 'env=prod', severities: ['p1', 'p2'] },
    steps: [
      { after_minutes: 0, channel_ids: [chat.id] },
      { after_minutes: 15, channel_ids: [pager.id, email.id] },
    ],
    remind_every_minutes: 60,
    quiet_hours: { timezone: 'Europe/Berlin', from: '22:00', to: '07:00' },
  });
  await made('/v0/routes', {
    name: 'Everything else',
    match: { notices: ['region.silent', 'channel.failing'] },
    steps: [{ after_minutes: 0, channel_ids: [email.id] }],
  });
  await made('/v0/webhooks', { url: 'https://example.com/hooks/upquorum' });
  const { id: projectId } = (await api('GET', '/v0/project')).body;
  const alerts = (await api('GET', '/v0/alerts?state=open&held=false')).body.data as { id: string; title: string }[];
  const together = alerts.slice(0, 3).map(({ id }) => id);
  await withSql(databaseUrl, async sql => {
    const now = Date.now();
    await sql.run`
      update channels
      set failing_since = ${instant(now - hourMs)}, last_error = 'the service responded with status 403'
      where id = ${chat.id}`;
    await sql.run`
      insert into notices (id, project_id, kind, subject_type, subject_id, subject_name, title, detail, opened_at)
      values (
        ${newId('ntc')}, ${projectId}, 'channel.failing', 'channel', ${chat.id}, 'Alerts in chat',
        'Channel Alerts in chat is failing', '5 deliveries in a row failed: the service responded with status 403',
        ${instant(now - hourMs)}
      )`;
    await sql.run`
      insert into notices
        (id, project_id, kind, subject_type, subject_id, subject_name, title, detail, opened_at, closed_at)
      values (
        ${newId('ntc')}, ${projectId}, 'region.silent', 'region', 'ap-south', 'ap-south', 'Region ap-south was silent',
        'No monitor had a vote there', ${instant(now - dayMs)}, ${instant(now - dayMs + 12 * minuteMs)}
      )`;
    const group = newId('agp');
    const cause = JSON.stringify({ type: 'address', value: '203.0.113.7', error_code: 'connect_refused' });
    await sql.run`
      insert into alert_groups (
        id, project_id, keys, cause, opened_at, joined_at, state, progress, number, due_at, created_at
      )
      values (
        ${group}, ${projectId}, '{}', ${cause}, ${instant(now)}, ${instant(now)}, 'open',
        '{"sequence":0,"channels":{},"routes":{}}', 0, 'infinity', ${instant(now)}
      )`;
    await sql.run`
      update alerts
      set group_id = ${group}
      where id = any(${together})`;
    await sql.run`
      insert into alert_group_members (alert_id, group_id, project_id, route_ids, severity, told_at, joined_number)
      select id, ${group}, ${projectId}, '{}', severity, ${instant(now)}, 1
      from alerts
      where id = any(${together})`;
  });
  return {
    channel: chat.id,
    route: route.id,
    recurring: recurring.id,
    current: current.id,
    alert: together[0] ?? '',
  };
}

function nextSunday(): string {
  const now = Date.now();
  return toTimestamp(now + (7 - new Date(now).getUTCDay()) * dayMs).slice(0, 10);
}
