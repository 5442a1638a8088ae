import test from 'ava';
import { authorizationOf, withAuthorization } from '#control-plane/monitoring/monitors/auth/auth.ts';
import { neededOf } from '#control-plane/monitoring/monitors/kinds/rules.ts';
import { monitorPostSchema, withKind } from '#control-plane/monitoring/monitors/monitor.ts';
import { settingsErrors } from '#control-plane/monitoring/monitors/settings.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const basic = { type: 'basic', username: 'ada', password: 'pässword: 1' } as const;
const bearer = { type: 'bearer', token: 'abc.def' } as const;

test('the header is that of RFC 7617 in UTF-8, or a bearer', t => {
  t.is(authorizationOf(basic), `Basic ${Buffer.from('ada:pässword: 1').toString('base64')}`);
  t.is(authorizationOf(bearer), 'Bearer abc.def');
  t.deepEqual(withAuthorization({ A: '1' }, bearer), { A: '1', Authorization: 'Bearer abc.def' });
  t.deepEqual(withAuthorization({ a: '1' }, null, 'authorization'), { a: '1' });
});

function errorsOf(changes: object): string[] {
  const body = { name: 'm', interval_seconds: 60, regions: ['a'], url: 'https://a.example/', ...changes };
  const parsed = monitorPostSchema.safeParse(body);
  if (!parsed.success) return parsed.error.issues.map(({ path }) => `/${path.join('/')}`);
  return settingsErrors(parsed.data).map(error => ('pointer' in error ? `${error.pointer} ${error.code}` : ''));
}

for (const [title, changes, errors] of [
  ['of HTTP', { auth: basic }, []],
  ['of gRPC', { url: 'grpc://a.example:1', auth: bearer }, []],
  ['of a WebSocket', { url: 'wss://a.example', auth: basic }, []],
  ['of a port', { url: 'tcp://a.example:1', auth: basic }, ['/auth not_allowed']],
  ['beside the same header', { auth: bearer, headers: { AUTHORIZATION: 'x' } }, ['/auth not_allowed']],
  [
    'beside the same metadata',
    { url: 'grpc://a.example:1', auth: bearer, grpc: { metadata: { authorization: 'x' } } },
    ['/auth not_allowed'],
  ],
  ['with a colon in the name', { auth: { ...basic, username: 'a:b' } }, ['/auth/username']],
  ['with a line break in the token', { auth: { ...bearer, token: 'a\r\nb' } }, ['/auth/token']],
  ['by a type that is none', { auth: { type: 'digest' } }, ['/auth/type']],
] as const)
  test(`auth ${title}`, t => t.deepEqual([...new Set(errorsOf(changes))].slice(0, 1), [...errors]));

test('a monitor with auth needs a gateway that knows it, and nothing of the agent', t => {
  const body = { name: 'm', interval_seconds: 60, regions: ['a'], url: 'https://a.example/', auth: basic };
  t.deepEqual(neededOf(withKind(monitorPostSchema.parse(body))), ['gateway.2']);
});

test.serial('the password is shown to nobody, is in no column, and a hidden one keeps it', async t => {
  const { post, patch, api } = await openMonitorWorld(t, databaseOf());
  const { body: made } = await post({ auth: { ...basic, password: 'swordfish-1' } });
  t.deepEqual(made.auth, { type: 'basic', username: 'ada', password: '********' });
  const renamed = await patch(made.id, { auth: { ...made.auth, username: 'eve' } });
  t.like(renamed.body, { config_version: 2, auth: { username: 'eve', password: '********' } });
  t.is((await patch(made.id, { auth: renamed.body.auth })).body.config_version, 2, 'nothing changed');
  const other = await patch(made.id, { auth: { type: 'bearer', token: '********' } });
  t.deepEqual(faultsOf(other), ['/auth/token not_allowed']);
  const rows = await withSql(databaseOf(), sql => sql.rows`select m::text as text from monitors m`);
  const seen = JSON.stringify([rows, (await api('GET', '/v0/audit')).body]);
  t.false(seen.includes('swordfish'));
  t.true(seen.includes('password'));
  t.is((await patch(made.id, { auth: null })).body.auth, null);
});
