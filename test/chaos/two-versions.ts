import { join } from 'node:path';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { admin } from '../support/admin.ts';
import { type Api, apiOf, createTenant, type Reply, testSecretKey, until } from '../support/control-plane.ts';
import { startZone } from '../support/zone.ts';
import { olderCommit, startOlder } from './harness/older-version.ts';

const publicUrl = 'http://localhost:8080';
const password = 'correct horse';
const target = { wrong: 0, serverErrors: 0 };

/** What was asked of both versions, and what was not as it should be. */
class Findings {
  asked = 0;
  serverErrors = 0;
  readonly wrong: string[] = [];

  is(what: string, seen: unknown, expected: unknown): void {
    if (JSON.stringify(seen) !== JSON.stringify(expected)) this.wrong.push(`${what}: ${JSON.stringify(seen)}`);
  }

  /** Calls at one of the versions. */
  at(url: string): (...call: Parameters<Api>) => Promise<Reply> {
    const api = apiOf(url, '');
    return async (...call) => this.#noted(await api(...call));
  }

  /** What a browser gets. */
  async visit(url: string, path: string, headers: Record<string, string> = {}, form?: Record<string, string>) {
    const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const answer = await fetch(url + path, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...headers },
      ...sent,
    });
    const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return this.#noted({ status: answer.status, cookie, body: await answer.text() });
  }

  #noted<Answer extends { status: number }>(answer: Answer): Answer {
    this.asked += 1;
    if (answer.status >= 500) this.serverErrors += 1;
    return answer;
  }
}

type Two = { urls: readonly [older: string, newer: string]; databaseUrl: string; projectId: string; token: string };

/**
 * R22: an older version, from before the last migration, and this one share a database, as during an upgrade. What
 * one of them does for people counts on the other at once, and neither lets anybody do more than they may.
 */
export async function runTwoVersions(run: RowRun): Promise<Row> {
  const zone = run.opened.use(await startZone());
  const env = { PUBLIC_URL: publicUrl, DNS_SERVERS: zone.servers.join(), TRUSTED_PROXIES: '127.0.0.0/8' };
  const site = await openSite(run, env);
  const commit = olderCommit();
  const older = await startOlder(site, run, commit, {
    ...env,
    DATABASE_URL: site.databaseUrl,
    PORT: '0',
    SECRETS_KEYS: testSecretKey,
    LOG_LEVEL: 'warn',
    PAGES_DIR: join(site.folder, 'older-pages'),
  });
  run.progress(`${commit} runs beside this tree`);
  const found = new Findings();
  for (const urls of [
    [older.url, site.url],
    [site.url, older.url],
  ] as const) {
    const tenant = await createTenant(site.databaseUrl);
    const two = { urls, databaseUrl: site.databaseUrl, ...tenant };
    await people(found, two);
    await pages(found, two, zone);
    await configuration(found, two);
    run.progress(`${found.asked} requests, ${found.wrong.length} wrong`);
  }
  for (const fault of found.wrong) run.progress(fault);
  const figure = { older: commit, asked: found.asked, wrong: found.wrong.length, serverErrors: found.serverErrors };
  return {
    name: 'R22',
    figure,
    target,
    pass: found.wrong.length === 0 && found.serverErrors === 0,
    versions: await site.versions(),
    samples: { wrong: found.wrong, seconds: round(performance.now() / 1000, 0) },
  };
}

/** Signs in at the first, acts at the second; what ends at one is refused at the other. */
async function people(found: Findings, { urls, databaseUrl, projectId, token }: Two): Promise<void> {
  const [first, second] = urls.map(url => found.at(url));
  if (first === undefined || second === undefined) return;
  const keys = { secretsKeys: [testSecretKey] };
  const enter = async (role: string) => {
    const given = ['--project', projectId, '--role', role];
    const made = (await admin(databaseUrl, ['person', 'create', '--name', role, ...given], keys)) as {
      id: string;
      url: string;
    };
    const from = { 'x-forwarded-for': `10.0.0.${Math.floor(Math.random() * 250)}` };
    const reply = await first('POST', '/auth/links/use', { token: made.url.split('#')[1] }, from);
    found.is('signing in', reply.status, 201);
    const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? '';
    return { id: made.id, headers: { cookie, 'x-csrf-token': reply.body.csrf_token, 'x-project-id': projectId } };
  };
  const owner = await enter('admin');
  const editor = await enter('editor');
  const makes = async (call: typeof first, headers: Record<string, string>) =>
    (await call('POST', '/v0/walls', { name: 'x' }, headers)).body.code ?? 'made';
  found.is('a session of the other version', await makes(second, editor.headers), 'made');
  found.is('without its CSRF token', await makes(second, { cookie: editor.headers.cookie }), 'missing_token');
  const asked = { project_id: projectId, name: 'own', scopes: ['walls:write', 'monitors:read'] };
  const own = await first('POST', '/v0/me/tokens', asked, editor.headers);
  const bearer = { authorization: `Bearer ${own.body.token}` };
  for (const call of [first, second]) found.is('a personal token', await makes(call, bearer), 'made');
  const lowered = await second('PATCH', `/v0/members/${editor.id}`, { role: 'viewer' }, owner.headers);
  found.is('lowering a role', lowered.status, 200);
  for (const call of [first, second])
    for (const headers of [editor.headers, bearer])
      found.is('a lower role', await makes(call, headers), 'insufficient_scope');
  found.is('removing', (await second('DELETE', `/v0/members/${editor.id}`, undefined, owner.headers)).status, 204);
  for (const call of [first, second]) {
    found.is('who was removed', await makes(call, editor.headers), 'not_a_member');
    found.is('their token', await makes(call, bearer), 'token_revoked');
  }
  found.is('signing out', (await second('DELETE', '/dashboard/session', undefined, owner.headers)).status, 204);
  for (const call of [first, second]) found.is('who signed out', await makes(call, owner.headers), 'missing_token');
  const service = { authorization: `Bearer ${token}` };
  for (const call of [first, second]) found.is('a token of the project', await makes(call, service), 'made');
}

/** A private page and an own domain that one of them makes are what they are at both. */
async function pages(found: Findings, { urls, token, projectId }: Two, zone: Awaited<ReturnType<typeof startZone>>) {
  const [first, second] = urls;
  const headers = { authorization: `Bearer ${token}` };
  const call = found.at(first);
  const slug = `page-${projectId.slice(-8)}`;
  const access = { type: 'password', password };
  const made = await call('POST', '/v0/status-pages', { name: 'Hush', slug, access }, headers);
  found.is('a private page', made.status, 201);
  const path = `/status/${slug}`;
  for (const url of urls) await until(async () => (await fetch(url + path)).status, 403, 20_000).catch(() => {});
  const { cookie } = await found.visit(first, `${path}/access`, {}, { password });
  for (const url of urls) {
    const stranger = await found.visit(url, path);
    found.is('without the password', [stranger.status, stranger.body.includes('Hush')], [403, false]);
    found.is('with the cookie of one of them', (await found.visit(url, path, { cookie })).status, 200);
    for (const rest of ['/history', '/feed.rss', '/summary.json', '/badge.svg'])
      found.is(`${rest} without the password`, (await found.visit(url, path + rest)).status, 403);
  }
  const domain = `${slug}.example`;
  const named = (await call('POST', `/v0/status-pages/${made.body.id}/domains`, { domain }, headers)).body;
  zone.txt.set(named.record.name, [named.record.value]);
  const proof = `/v0/status-pages/${made.body.id}/domains/${named.id}/verify`;
  found.is('an own domain', (await found.at(second)('POST', proof, undefined, headers)).body.state, 'verified');
  for (const url of urls) {
    const shown = () => apiOf(url, '')('GET', '/', undefined, { host: domain, accept: 'text/html' });
    await until(async () => (await shown()).status, 403, 20_000).catch(() => {});
  }
  for (const url of urls) {
    const at = { 'x-forwarded-proto': 'http', host: domain, ...headers };
    found.is('the API at an own domain', (await found.at(url)('GET', '/v0/me', undefined, at)).status, 404);
    found.is('the dashboard there', (await found.at(url)('GET', '/dashboard/session', undefined, at)).status, 404);
  }
  found.is(
    'opening it',
    (await call('PATCH', `/v0/status-pages/${made.body.id}`, { access: { type: 'link' } }, headers)).status,
    200,
  );
  for (const url of urls) await until(async () => (await fetch(url + path)).status, 404, 20_000).catch(() => {});
  for (const url of urls) found.is('the old cookie', (await found.visit(url, path, { cookie })).status, 404);
}

/** A plan of one version is applied by the other, or refused; the same document changes nothing again. */
async function configuration(found: Findings, { urls, token }: Two): Promise<void> {
  const [first, second] = urls.map(url => found.at(url));
  if (first === undefined || second === undefined) return;
  const headers = { authorization: `Bearer ${token}` };
  const document = 'upquorum: 1\nmanager: git\nflows:\n  - { key: f, name: F, steps: [{ event: a }, { event: b }] }\n';
  const plan = await first('POST', '/v0/config/plan', { document }, headers);
  const apply = { plan_id: plan.body.id, expected_deletes: 0 };
  found.is('applying', (await second('POST', '/v0/config/apply', apply, headers)).status, 200);
  for (const call of [first, second]) {
    const { counts } = (await call('POST', '/v0/config/plan', { document }, headers)).body;
    found.is('the same document', [counts?.create, counts?.update, counts?.unchanged], [0, 0, 1]);
  }
}
