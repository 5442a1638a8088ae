import test from 'ava';
import { checkOf, neededOf } from '#control-plane/monitoring/monitors/kinds/rules.ts';
import { monitorPostSchema, withKind } from '#control-plane/monitoring/monitors/monitor.ts';
import { hide, reveal } from '#control-plane/monitoring/monitors/secrets/hidden.ts';
import { carriedSecrets, withoutSecrets, withSecrets } from '#control-plane/monitoring/monitors/secrets/own-rules.ts';
import { compareSettings, settingsErrors } from '#control-plane/monitoring/monitors/settings.ts';

type Step = Record<string, unknown>;

const step = (changes: Step = {}): Step => ({ name: 'one', url: 'https://a.example/', ...changes });
const login = step({ name: 'log in', extract: [{ name: 'token', from: 'json_path', path: '$.token' }] });
const bodyOf = (steps: unknown, changes: object = {}) => ({
  name: 'm',
  kind: 'multistep',
  interval_seconds: 60,
  regions: ['a'],
  multistep: { steps },
  ...changes,
});

/** All errors of a body, as the API would report them: of the schema, else between the fields. */
function errorsOf(body: object): string[] {
  const parsed = monitorPostSchema.safeParse(JSON.parse(JSON.stringify(body)));
  if (!parsed.success)
    return parsed.error.issues.map(
      issue => `/${issue.path.join('/')} ${('params' in issue && issue.params?.code) || issue.code}`,
    );
  return settingsErrors(parsed.data).map(error => ('pointer' in error ? `${error.pointer} ${error.code}` : ''));
}

const settingsOf = (steps: Step[]) => withKind(monitorPostSchema.parse(bodyOf(steps)));

test('a monitor of steps shows the URL of the first, and agents get it as it was set', t => {
  const settings = settingsOf([login, step({ url: 'https://a.example/x y/{{token}}?q={{run.id|url}}' })]);
  t.is(settings.url, 'https://a.example/');
  t.is(settings.multistep?.steps[1]?.url, 'https://a.example/x%20y/{{token}}?q={{run.id|url}}');
  const sent = settings.multistep?.steps.map(({ auth: _auth, ...rest }) => rest);
  t.deepEqual(checkOf(settings), { kind: 'multistep', steps: sent } as never);
  t.deepEqual(neededOf(settings), ['multistep']);
});

const at = '/multistep/steps';
const refused: [title: string, body: object, errors: string[]][] = [
  ['no steps', bodyOf([]), [`${at} too_small`]],
  ['a URL of the monitor', bodyOf([step()], { url: 'https://a.example/' }), ['/url not_allowed']],
  ['no object at all', { ...bodyOf([]), multistep: undefined }, [`${at} required`]],
  [
    'steps without their kind',
    bodyOf([step()], { kind: undefined, url: 'https://a.example/' }),
    ['/multistep not_allowed'],
  ],
  ['neither kind nor URL', { ...bodyOf([]), kind: undefined, multistep: undefined }, ['/url required']],
  ['a name twice', bodyOf([step(), step()]), [`${at}/1/name not_allowed`]],
  ['a value in the host', bodyOf([step({ url: 'https://{{run.id}}.example/' })]), [`${at}/0/url not_allowed`]],
  ['a value in the port', bodyOf([step({ url: 'https://a.example:{{run.id}}/' })]), [`${at}/0/url not_allowed`]],
  ['a value in the scheme', bodyOf([step({ url: '{{run.id}}://a.example/' })]), [`${at}/0/url not_allowed`]],
  ['another scheme', bodyOf([step({ url: 'ftp://a.example/' })]), [`${at}/0/url format`]],
  ['a value of its own', bodyOf([{ ...login, body: '{{token}}', method: 'POST' }]), [`${at}/0/body unknown_reference`]],
  [
    'a value of a later step',
    bodyOf([step({ url: 'https://a.example/{{token}}' }), login]),
    [`${at}/0/url unknown_reference`],
  ],
  [
    'an unknown filter',
    bodyOf([login, step({ headers: { A: '{{token|xml}}' } })]),
    [`${at}/1/headers/A unknown_reference`],
  ],
  [
    'a secret in a URL, of which the rule for all URLs speaks',
    bodyOf([step({ url: 'https://a.example/{{secret.KEY}}' })]),
    [],
  ],
  ['a secret in a header', bodyOf([step({ headers: { A: '{{secret.KEY}}' } })]), []],
  [
    'a header beside auth',
    bodyOf([step({ headers: { authorization: 'x' }, auth: { type: 'bearer', token: 'x' } })]),
    [`${at}/0/auth not_allowed`],
  ],
  [
    'a value of a step as a token',
    bodyOf([login, step({ auth: { type: 'bearer', token: '{{token}}' } })]),
    [`${at}/1/auth/token unknown_reference`],
  ],
  ['a secret as a token', bodyOf([step({ auth: { type: 'bearer', token: '{{secret.KEY}}' } })]), []],
  ['a value taken twice', bodyOf([login, { ...login, name: 'again' }]), [`${at}/1/extract/0/name not_allowed`]],
  [
    'a source without its place',
    bodyOf([step({ extract: [{ name: 'a', from: 'header' }] })]),
    [`${at}/0/extract/0/header required`],
  ],
  ['always on one step alone', bodyOf([step({ always: true })]), [`${at}/0/always not_allowed`]],
  [
    'always in between',
    bodyOf([step(), step({ name: 'b', always: true }), step({ name: 'c' })]),
    [`${at}/1/always not_allowed`],
  ],
  [
    'a step longer than the whole',
    bodyOf([step({ timeout_ms: 6000 })], { timeout_ms: 5000 }),
    [`${at}/0/timeout_ms out_of_range`],
  ],
  ['too little time', bodyOf([step()], { timeout_ms: 600 }), ['/timeout_ms out_of_range']],
  ['too often', bodyOf([step()], { interval_seconds: 20 }), ['/interval_seconds out_of_range']],
  ['a body with GET', bodyOf([step({ body: 'x' })]), [`${at}/0/body not_allowed`]],
  [
    'a step that warns',
    bodyOf([step({ assertions: [{ type: 'status', operator: 'eq', value: 200, on_fail: 'warn' }] })]),
    [`${at}/0/assertions/0/on_fail not_allowed`],
  ],
  [
    'a percentile in a step',
    bodyOf([step({ assertions: [{ type: 'latency_p95', operator: 'lt', value_ms: 5 }] })]),
    [`${at}/0/assertions/0/type not_allowed`],
  ],
  [
    'a status of the monitor',
    bodyOf([step()], { assertions: [{ type: 'status', operator: 'eq', value: 200 }] }),
    ['/assertions/0/type not_allowed'],
  ],
  [
    'six searches over all steps',
    bodyOf(
      Array.from({ length: 6 }, (_, index) =>
        step({ name: `s${index}`, extract: [{ name: `v${index}`, from: 'json_path', path: '$..a' }] }),
      ),
    ),
    [`${at}/5/extract/0/path not_allowed`],
  ],
  [
    'more than 50 assertions over all steps',
    bodyOf([
      step({ assertions: Array(50).fill({ type: 'status', operator: 'eq', value: 200 }) }),
      step({ name: 'two' }),
    ]),
    [`${at} too_long`],
  ],
];
for (const [title, body, errors] of refused) test(`refused: ${title}`, t => t.deepEqual(errorsOf(body), errors));

test('what steps send is stored apart, hidden, and kept when it comes back hidden', t => {
  const auth = { type: 'basic', username: 'a', password: 'pike-pie' };
  const secrets = { headers: { A: 'swordfish' }, body: 'trout-in-milk', method: 'POST', auth };
  const stored = settingsOf([login, step({ name: 'b', ...secrets })]);
  const { multistep } = stored;
  const carried = carriedSecrets(stored);
  t.notRegex(JSON.stringify([withoutSecrets(multistep), carried.body, carried.headers]), /pike/);
  t.notRegex(JSON.stringify(withoutSecrets(multistep)), /swordfish|trout/);
  t.deepEqual(withSecrets(withoutSecrets(multistep), carried).own, multistep);
  const hidden = hide(stored);
  const shown = { headers: { A: '********' }, body: '********', auth: { ...auth, password: '********' } };
  t.like(hidden.multistep?.steps[1], shown as never);
  const [first, second] = hidden.multistep?.steps ?? [];
  if (first === undefined || second === undefined) return t.fail();
  const turned = { ...stored, multistep: { steps: [second, first] } };
  t.deepEqual(reveal(turned, stored).settings.multistep?.steps, multistep?.steps.toReversed(), 'known by its name');
  const renamed = { ...stored, multistep: { steps: [{ ...second, name: 'other' }] } };
  t.deepEqual(reveal(renamed, stored).missing, [
    '/multistep/steps/0/headers/A',
    '/multistep/steps/0/body',
    '/multistep/steps/0/auth/password',
  ]);
});

test('agents get a login of a step as a header and client credentials as they are, by gateways that know of it', t => {
  const oauth2 = { type: 'oauth2', token_url: 'https://id.example/', client_id: '{{x}}', client_secret: 'swordfish' };
  const basic = { type: 'basic', username: 'a', password: '{{run.id}}' };
  const settings = settingsOf([login, step({ name: 'b', auth: basic }), step({ name: 'c', auth: oauth2 })]);
  t.like(checkOf(settings), {
    steps: [
      { headers: {} },
      { headers: { Authorization: `Basic ${Buffer.from('a:{{run.id}}').toString('base64')}` } },
      { headers: {}, auth: { ...oauth2, client_auth: 'header' } },
    ],
  } as never);
  t.false('auth' in (Object(checkOf(settings)).steps[1] ?? { auth: null }));
  t.deepEqual(neededOf(settings), ['auth.oauth2', 'auth.steps', 'gateway.4', 'multistep']);
  t.deepEqual(neededOf(settingsOf([step({ auth: basic })])), ['gateway.4', 'multistep']);
});

test('another URL of a step drops the votes; another body makes a new version alone', t => {
  const before = settingsOf([login]);
  const other = settingsOf([{ ...login, url: 'https://b.example/' }]);
  t.like(compareSettings(before, other), { newVersion: true, dropsVotes: true });
  t.like(compareSettings(before, settingsOf([{ ...login, headers: { A: 'b' } }])), {
    newVersion: true,
    dropsVotes: false,
  });
});
