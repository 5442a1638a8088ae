import type { Endpoint } from '#control-plane/platform/http/endpoint/endpoint.ts';
import { newId } from '#shared/ids.ts';
import { admin } from './admin.ts';
import { type Api, createRegions, until, withSql } from './control-plane.ts';

/** What everything is called in a project that is filled: nobody else may read it. */
export const secretName = 'name-only-the-first-project-knows';

/** Fills a project with one of all. A route added later is covered if its collection lists something: add it here. */
export async function fillProject(databaseUrl: string, projectId: string, owner: Api): Promise<void> {
  await createRegions(databaseUrl, [sharedRegion(projectId)]);
  await createRegions(databaseUrl, [privateRegion(projectId)], projectId);
  const monitor = await owner('POST', '/v0/monitors', {
    name: secretName,
    url: `https://example.com/${secretName}`,
    interval_seconds: 60,
    regions: [sharedRegion(projectId), privateRegion(projectId)],
  });
  await owner('POST', '/v0/tokens', { name: secretName, scopes: ['monitors:read'] });
  const page = await owner('POST', '/v0/status-pages', { name: secretName, slug: `page-${projectId.slice(-8)}` });
  await owner('POST', `/v0/status-pages/${page.body.id}/domains`, { domain: `${secretName}.example` });
  const component = { status_page_id: page.body.id, name: secretName, monitor_ids: [monitor.body.id] };
  await owner('POST', '/v0/components', component);
  await owner('POST', `/v0/status-pages/${page.body.id}/subscribers`, {
    channel: 'email',
    email: `${secretName}@example.com`.toLowerCase(),
    consent: secretName,
  });
  await owner('POST', '/v0/webhooks', { url: `https://example.com/${secretName}`, kinds: ['alert.opened'] });
  await owner('POST', '/v0/incidents', {
    title: secretName,
    severity: 'p2',
    status_page_id: page.body.id,
    initial_update: { state: 'investigating', body: secretName },
  });
  const window = await owner('POST', '/v0/maintenances', {
    title: secretName,
    scope: { monitor_ids: [monitor.body.id] },
    starts_at: new Date(Date.now() + 3_600_000).toISOString(),
    ends_at: new Date(Date.now() + 7_200_000).toISOString(),
  });
  await owner('POST', `/v0/maintenances/${window.body.id}/updates`, { body: secretName });
  await owner('POST', '/v0/webhooks', { url: `https://example.com/${secretName}` });
  // Without consent, so that a delivery is queued: the confirmation email.
  await owner('POST', `/v0/status-pages/${page.body.id}/subscribers`, { email: `${secretName}@example.com` });
  const channel = { type: 'discord', name: secretName, config: { url: `https://example.com/${secretName}` } };
  const { id: channelId } = (await owner('POST', '/v0/channels', channel)).body;
  const steps = [{ after_minutes: 0, channel_ids: [channelId] }];
  await owner('POST', '/v0/routes', { name: secretName, steps });
  const group = newId('agp');
  await withSql(
    databaseUrl,
    sql => sql.run`
      insert into alert_groups (
        id, project_id, keys, opened_at, joined_at, state, progress, number, due_at, created_at
      )
      values (
        ${group}, ${projectId}, '{}', now(), now(), 'open', '{"sequence":0,"channels":{},"routes":{}}', 0, 'infinity',
        now()
      )`,
  );
  // While nobody is a member yet, a token may invite.
  await owner('POST', '/v0/invitations', { role: 'admin', name: secretName });
  const given = ['--project', projectId, '--group', secretName, '--role', 'viewer'];
  await admin(databaseUrl, ['group-role', 'add', ...given]);
  await admin(databaseUrl, [...['person', 'create', '--name', secretName, '--project', projectId, '--role', 'admin']]);
  await owner('POST', '/v0/walls', { name: secretName });
  await owner('POST', '/v0/secrets', { name: 'OWN', value: 'of one project', description: secretName });
  await owner('POST', '/v0/releases', { version: secretName });
  await owner('POST', '/v0/reports', { name: secretName, items: [{ title: 'a', type: 'trend', event: 'a' }] });
  await owner('POST', '/v0/flows', { name: secretName, steps: [{ event: 'a' }, { event: 'b' }] });
  await owner('POST', '/v0/events', { name: secretName, external_user_id: 'a-user' });
  const reason = { summary: 'x', region: null, expected: null, actual: null, status_code: null, error_code: null };
  await withSql(
    databaseUrl,
    sql => sql.run`
      insert into alerts (
        id, project_id, monitor_id, title, severity, state, regions_failing, regions, quorum, reason,
        started_at, last_seen_at, created_at
      )
      values (
        ${newId('alt')}, ${projectId}, ${monitor.body.id}, ${secretName}, 'p2', 'open', '{shared}', '{shared}', 1,
        ${JSON.stringify(reason)}, now(), now(), now()
      )`,
  );
  await withSql(
    databaseUrl,
    sql => sql.run`
      insert into event_erasures (id, project_id, user_hash, actor, state, requested_at, done_at)
      values (${newId('ers')}, ${projectId}, 'secret:0', 0, 'done', now(), now())`,
  );
  await withSql(
    databaseUrl,
    sql => sql.run`
      insert into notices (id, project_id, kind, subject_type, subject_id, subject_name, title, detail, opened_at)
      values (${newId('ntc')}, ${projectId}, 'agent.silent', 'agent', 'a', ${secretName}, ${secretName}, '', now())`,
  );
  await untilDelivered(owner);
}

/** Deliveries of the incident are queued in the background. */
async function untilDelivered(owner: Api): Promise<void> {
  await until(
    () => owner('GET', '/v0/deliveries'),
    answer => answer.body.data.length > 0,
  );
}

export function sharedRegion(projectId: string): string {
  return `shared-${projectId.slice(-8)}`;
}

export function privateRegion(projectId: string): string {
  return `private-${projectId.slice(-8)}`;
}

/** The endpoint's address with ids of the first project, as its collections list them. */
export async function addressIn(owner: Api, endpoint: Pick<Endpoint, 'path'>): Promise<string> {
  let path = '';
  for (const part of endpoint.path.split('/').slice(1)) {
    if (!part.startsWith('{')) path += `/${part}`;
    else if (part === '{external_id}') path += '/a-user';
    else path += `/${await firstIdOf(owner, path)}`;
  }
  return path;
}

async function firstIdOf(owner: Api, collection: string): Promise<string> {
  if (collection === '/v0/config/plans') {
    const plan = await owner('POST', '/v0/config/plan', { document: 'upquorum: 1\nmanager: nobody\n' });
    return plan.body.id as string;
  }
  if (collection.endsWith('/updates')) {
    const incident = await owner('GET', collection.replace(/\/updates$/, ''));
    return incident.body.updates[0].id as string;
  }
  const { body } = await owner('GET', collection);
  // A list for others, or none.
  if (!Array.isArray(body.data)) return newId('usr');
  const named = body.data.find((item: object) => JSON.stringify(item).includes(secretName)) ?? body.data.at(-1);
  if (named === undefined) throw new Error(`the project has nothing in ${collection}: create one in fillProject()`);
  return (collection === '/v0/members' ? named.person_id : named.id) as string;
}
