import test from 'ava';
import { monitorPostSchema } from '#control-plane/monitoring/monitors/monitor.ts';
import { draftOfAuth } from '#control-plane/web/dashboard/app/features/monitors/editor/connection/auth-draft.ts';
import {
  egressBody,
  usualEgress,
} from '#control-plane/web/dashboard/app/features/monitors/editor/connection/egress-draft.ts';
import {
  changesOf,
  draftOf,
  emptyDraft,
  settingsOf,
} from '#control-plane/web/dashboard/app/features/monitors/editor/monitor-draft.ts';
import { noRules } from '#control-plane/web/dashboard/app/features/monitors/editor/rules-draft.ts';
import { emptyStep } from '#control-plane/web/dashboard/app/features/monitors/editor/step-draft.ts';
import { parseLabels } from '#control-plane/web/dashboard/app/kit/form/label-text.ts';
import { typedNumber, typedNumberOrNull } from '#control-plane/web/dashboard/app/kit/form/typed-number.ts';
import { sampleMonitor } from '../../../samples.ts';

test('numbers in fields are numbers, nothing, or what was typed', t => {
  for (const [text, number] of [
    ['5', 5],
    [' 5 ', 5],
    ['0.5', 0.5],
    ['', Number.NaN],
    ['x', Number.NaN],
  ] as const)
    t.is(typedNumber(text), number);
  t.is(typedNumberOrNull(' '), null);
  t.is(typedNumberOrNull('30'), 30);
  t.like(settingsOf({ ...emptyDraft, interval: 'often', timeout: '', quorum: '2' }), {
    interval_seconds: 'often',
    timeout_ms: null,
    quorum: 2,
  } as object);
});

test('only what differs of a monitor is sent, member by member', t => {
  const rows: readonly (readonly [changes: Partial<typeof emptyDraft>, names: string[]])[] = [
    [{}, []],
    [{ name: 'a' }, ['name']],
    [{ name: '  ' }, []],
    [{ interval: '30 ' }, []],
    [{ headers: [['', 'left over']] }, []],
    [{ headers: [['x-a', '1']] }, ['headers']],
    [{ severity: 'p1', slackChannel: '#ops' }, ['alert_policy']],
    [{ labels: ' ' }, []],
    [{ body: '{}', method: 'POST' }, ['method', 'body']],
    [{ rules: { ...noRules, hasFlap: true } }, ['alert_rules']],
    [{ regions: ['eu'], componentIds: ['cmp_1'] }, ['regions', 'component_ids']],
  ];
  for (const [changes, names] of rows)
    t.deepEqual(Object.keys(changesOf(emptyDraft, { ...emptyDraft, ...changes })).sort(), names.sort());
});

test('a monitor that is opened in the editor and saved untouched changes nothing', t => {
  const monitor = sampleMonitor({
    assertions: [{ type: 'status', operator: 'in', value: [200, '300-399'] }],
    headers: { Accept: 'text/plain' },
    body: 'x',
    labels: { team: 'web', tier: '' },
    alert_policy: { ...sampleMonitor().alert_policy, severity: 'p1', slack_channel: '#ops', escalate_after_minutes: 5 },
  });
  const draft = draftOf(monitor);
  t.deepEqual(changesOf(draft, draft), {});
  t.deepEqual(changesOf(draft, { ...draft, name: 'Other', timeout: '' }), { name: 'Other', timeout_ms: null });
  t.true(monitorPostSchema.safeParse(settingsOf(draft)).success);
});

test('a proxy is sent with its login, a hidden password as it is, and none without a URL', t => {
  const egress = { ...usualEgress, proxyUrl: ' http://p.example:80 ', proxyUsername: 'a', proxyPassword: '********' };
  t.like(egressBody(egress, 'http'), {
    proxy: { url: 'http://p.example:80', username: 'a', password: '********' },
  });
  t.is(egressBody({ ...egress, proxyUrl: '' }, 'tcp')?.proxy, null);
  const each = { ...usualEgress, eachAddress: true };
  t.is(egressBody(each, 'tcp')?.addresses, 'each');
  t.is(egressBody(each, 'multistep')?.addresses, undefined);
});

test('client credentials come from the form as they went into it, with scopes between blanks', t => {
  const auth = {
    type: 'oauth2',
    token_url: 'https://id.example/token',
    client_id: 'shop',
    client_secret: '********',
    scopes: ['read', 'a,b'],
    audience: null,
    client_auth: 'body',
  } as const;
  const draft = draftOf(sampleMonitor({ auth: { ...auth, scopes: [...auth.scopes] } }));
  t.like(draft, { tokenScopes: 'read a,b', tokenAudience: '' });
  t.deepEqual(settingsOf(draft).auth, { ...auth, scopes: [...auth.scopes] });
  t.is(settingsOf({ ...draft, kind: 'tcp' }).auth, null);
  t.deepEqual(settingsOf({ ...draft, authType: 'bearer' }).auth, { type: 'bearer', token: '' });
});

test('a step signs in as the form says, and keeps a password that is hidden', t => {
  const auth = { type: 'basic', username: 'probe', password: '********' } as const;
  const step = { ...emptyStep, name: 'a', url: 'https://a.example/' };
  const settings = { ...emptyDraft, kind: 'multistep', steps: [step, { ...step, ...draftOfAuth(auth) }] } as const;
  t.like(settingsOf(settings), { auth: null, multistep: { steps: [{ auth: null }, { auth }] } } as never);
});

test('what is not a number goes to the API as it is written, which says what is wrong', t => {
  const draft = { ...draftOf(sampleMonitor()), interval: 'often', quorum: '' };
  t.like(settingsOf(draft), { interval_seconds: 'often', quorum: null });
  t.deepEqual(parseLabels('team=web, tier = 1\nplain,,'), { team: 'web', tier: '1', plain: '' });
});
