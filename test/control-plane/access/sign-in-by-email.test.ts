import test from 'ava';
import { readSignInSettings } from '#control-plane/access/oidc/settings.ts';
import { EnvReader } from '#shared/env.ts';
import { parseRange } from '#shared/network/guard.ts';
import { admin } from '#test/support/admin.ts';
import { apiOf, createTenant, startReplica, testSecretKey, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { personOf, sessionHeaders, signInBy, someAddress } from '#test/support/people.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const origin = 'http://localhost:8080';
const OPERATORS = 'Ada@EXAMPLE.com, bob@example.com';
const proxies = parseRange('127.0.0.0/8');

test('a link by email signs in whose verified address it is, and the answer never says whose', async t => {
  await using mailbox = await startMailbox();
  const signIn = readSignInSettings(
    new EnvReader({ SIGN_IN_METHODS: 'email,passkey', SMTP_URL: mailbox.url, OPERATORS }),
    origin,
  );
  const config = { publicUrl: origin, trustedProxies: proxies === null ? [] : [proxies] };
  const { url, stop } = await startReplica(databaseOf(), { ...config, smtpUrl: mailbox.url, signIn });
  const other = await startReplica(databaseOf(), { ...config, smtpUrl: mailbox.url });
  t.teardown(() => Promise.all([stop(), other.stop()]));
  const { projectId } = await createTenant(databaseOf());
  const make = (name: string, email: string) =>
    personOf(t, databaseOf(), url, { name, email, project: projectId, role: 'viewer' });
  const [ada, twin] = [await make('Ada', 'ada@example.com'), await make('Twin', 'Ada@example.com')];
  const bob = await make('Bob', 'bob@example.com');
  const gone = await make('Gone', 'gone@example.com');
  await withSql(databaseOf(), async sql => {
    await sql.run`update people set email_verified = true where id = any(${[ada.id, twin.id, gone.id]})`;
    await sql.run`update people set state = 'deactivated' where id = ${gone.id}`;
  });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}, at = url) =>
    apiOf(at, '')('POST', path, body, { 'x-forwarded-for': someAddress(), ...headers });
  const off = await post('/auth/links', { email: 'ada@example.com' }, {}, other.url);
  t.like(off, { status: 403, body: { code: 'method_disabled' } });
  t.like(await post('/auth/links', { email: 'none' }), { status: 422 });

  const answers = [];
  for (const email of ['nobody@example.com', 'bob@example.com', 'gone@example.com', 'ADA@example.com'])
    answers.push(await post('/auth/links', { email }));
  for (const { status, body } of answers) t.deepEqual([status, body], [202, {}]);
  const [mail] = await until(
    () => mailbox.emails,
    found => found.length > 0,
  );
  t.is(mail?.headers.get('subject')?.[0], 'Sign in to Upquorum');
  const links = [...(mail?.text ?? '').matchAll(/Sign in as “(\w+)”: http:\/\/localhost:8080\/join#(upi_\w+)/g)];
  t.deepEqual(links.map(([, name]) => name).sort(), ['Ada', 'Twin'], 'one link a person');
  const secret = links.find(([, name]) => name === 'Ada')?.[2] ?? '';
  const tables = Object.values(await readTables(databaseOf()))
    .flat()
    .join();
  t.false(tables.includes(secret));
  t.false(tables.includes('nobody@example.com'), 'what was typed is sealed');

  const created = await withSql(
    databaseOf(),
    sql => sql.rows<{ subject: string; place: string | null; text: string }>`
      select subject, project_id as place, row_to_json(a)::text as text
      from audit_entries a
      where action = 'sign_in_link.created' and after->>'by_mail' = 'true'`,
  );
  const expected = [ada.id, twin.id].flatMap(id => [`${id} ${projectId}`, `${id} null`]);
  t.deepEqual(created.map(({ subject, place }) => `${subject} ${place}`).sort(), expected.sort());
  t.false(/upi_|example/.test(created.map(({ text }) => text).join()), 'neither secrets nor addresses');

  t.like(await post('/auth/invitations/look', { token: secret }), { status: 200, body: { name: 'Ada' } });
  const used = await post('/auth/links/use', { token: secret });
  t.like(used, { status: 201, body: { method: 'link', person: { id: ada.id } } });
  const adding = await post('/auth/passkeys/options', { purpose: 'register' }, sessionHeaders(used));
  t.is(adding.status, 200, 'without another confirmation');
  t.is((await post('/auth/links/use', { token: secret })).status, 410);

  for (const _ of [2, 3, 4, 5])
    t.is((await post('/auth/links', { email: 'ada@example.com' })).status, 202, 'the fourth is not sent');
  const unsettled = () =>
    withSql(
      databaseOf(),
      sql => sql.rows`select 1 from deliveries where subject like 'sign_in %' and state = 'queued'`,
    );
  await until(unsettled, rows => rows.length === 0);
  t.deepEqual(
    mailbox.emails.map(({ to }) => to.toLowerCase()),
    Array(3).fill('ada@example.com'),
  );

  t.true(used.body.person.operator, 'OPERATORS names the verified address');
  t.is((await ada.call(null, 'GET', '/v0/people')).status, 200);
  t.is((await bob.call(null, 'GET', '/v0/people')).status, 403, 'an address that nobody has shown to be theirs');
  const printed = await admin(databaseOf(), ['person', 'link', '--id', ada.id], { secretsKeys: [testSecretKey] });
  await signInBy(t, other.url, printed as { id: string; url: string });
  t.is((await ada.call(null, 'GET', '/v0/people')).status, 403, 'where the list has her no more');
  const flips = await withSql(
    databaseOf(),
    sql => sql.rows<{ is: boolean }>`
      select (after->>'operator')::boolean as is
      from audit_entries
      where action = 'person.updated' and subject = ${ada.id}
      order by at, id`,
  );
  t.deepEqual(flips, [{ is: true }, { is: false }]);
});
