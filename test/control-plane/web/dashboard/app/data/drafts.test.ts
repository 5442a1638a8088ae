import test from 'ava';
import fc from 'fast-check';
import { monitorPostSchema } from '#control-plane/monitoring/monitors/monitor.ts';
import {
  assertionBody,
  draftAssertion,
  newAssertion,
} from '#control-plane/web/dashboard/app/data/drafts/assertion-draft.ts';
import {
  changesOf,
  draftOf,
  parseLabels,
  settingsOf,
} from '#control-plane/web/dashboard/app/data/drafts/monitor-draft.ts';
import { runOnce } from '#control-plane/web/dashboard/app/state/action.ts';
import { clearDrafts, readDraft, writeDraft } from '#control-plane/web/dashboard/app/state/drafts.ts';
import { read } from '#control-plane/web/dashboard/app/state/preferences.ts';
import type { Assertion } from '#shared/assertions/assertion.ts';
import { sampleMonitor } from '../samples.ts';

const text = fc.string({ minLength: 1, maxLength: 12 });
const code = fc.integer({ min: 100, max: 999 });
const json = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text, { minLength: 1 }));
/** Every shape of assertion that the API takes. */
const assertion = fc.oneof(
  fc.record({ type: fc.constant('status'), operator: fc.constantFrom('eq', 'neq', 'lt', 'gte'), value: code }),
  fc.record({
    type: fc.constant('status'),
    operator: fc.constantFrom('in', 'not_in'),
    value: fc.array(fc.oneof(code, fc.constant('200-299')), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    type: fc.constant('body_contains'),
    operator: fc.constantFrom('contains', 'not_contains'),
    value: text,
    case_insensitive: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('header'),
    name: fc.constant('x-a'),
    operator: fc.constantFrom('eq', 'neq', 'contains'),
    value: text,
  }),
  fc.record({ type: fc.constant('header'), name: fc.constant('x-a'), operator: fc.constantFrom('exists') }),
  fc.record({
    type: fc.constant('json_path'),
    path: fc.constant('$.a'),
    operator: fc.constantFrom('eq', 'neq'),
    value: json,
  }),
  fc.record({
    type: fc.constant('json_path'),
    path: fc.constant('$.a'),
    operator: fc.constantFrom('contains', 'not_contains'),
    value: text,
  }),
  fc.record({ type: fc.constant('json_path'), path: fc.constant('$.a'), operator: fc.constant('not_exists') }),
  fc.record({
    type: fc.constant('latency_p95'),
    operator: fc.constantFrom('lt', 'lte'),
    value_ms: fc.integer({ min: 1, max: 600_000 }),
    window_minutes: fc.integer({ min: 1, max: 1440 }),
  }),
) as fc.Arbitrary<Assertion>;

test('an assertion that is opened in the builder and saved untouched stays as it is', t => {
  fc.assert(
    fc.property(assertion, given => {
      t.deepEqual(assertionBody(draftAssertion(given)), { ...given });
    }),
    { numRuns: 400 },
  );
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

test('each kind of assertion starts as one that the API takes, once its subject is named', t => {
  for (const type of ['status', 'body_contains', 'header', 'json_path', 'latency_p95'] as const) {
    const { subject, operand, ...rest } = newAssertion(type);
    const body = assertionBody({ ...rest, subject: subject || 'x-a', operand: operand || 'ok' });
    const settings = { name: 'm', url: 'https://a.example/', interval_seconds: 60, regions: ['eu'] };
    t.true(monitorPostSchema.safeParse({ ...settings, assertions: [body] }).success, type);
  }
});

test('what is not a number goes to the API as it is written, which says what is wrong', t => {
  const draft = { ...draftOf(sampleMonitor()), interval: 'often', quorum: '' };
  t.like(settingsOf(draft), { interval_seconds: 'often', quorum: null });
  t.deepEqual(parseLabels('team=web, tier = 1\nplain,,'), { team: 'web', tier: '1', plain: '' });
});

test('a draft survives until it is sent, and all are gone after signing out', t => {
  const storage = fakeStorage();
  writeDraft('update 1', { body: 'half' }, storage);
  writeDraft('update 2', { body: 'x' }, storage);
  storage.setItem('other', 'stays');
  t.deepEqual(readDraft('update 1', storage), { body: 'half' });
  writeDraft('update 1', { body: '' }, storage);
  t.deepEqual(readDraft('update 1', storage), {});
  storage.setItem('draft broken', '{');
  t.deepEqual(readDraft('broken', storage), {});
  writeDraft('large', { body: 'x'.repeat(200_000) }, storage);
  t.deepEqual(readDraft('large', storage), {});
  clearDrafts(storage);
  t.deepEqual(Object.keys(storage), ['other']);
});

test('a stored choice counts only if it is one of those offered', t => {
  const stored = (value: string | null) => read({ getItem: () => value }, 'zone', ['utc', 'local']);
  t.is(stored('local'), 'local');
  t.is(stored('mars'), 'utc');
  t.is(stored(null), 'utc');
});

test('an action runs once at a time, shows its error, and forgets it with the next run', async t => {
  const running = { current: false };
  const shown: (string | null)[] = [];
  const show = ({ problem }: { problem: Error | null }) => shown.push(problem?.message ?? null);
  let finish: () => void = () => undefined;
  const first = runOnce(running, () => new Promise<void>(resolve => (finish = resolve)), show);
  t.false(await runOnce(running, async () => t.fail(), show));
  finish();
  t.true(await first);
  t.false(await runOnce(running, () => Promise.reject('a string'), show));
  t.true(await runOnce(running, async () => undefined, show));
  t.deepEqual(shown, [null, null, null, 'a string', null, null]);
});

/** Items are own properties, as in a browser. */
function fakeStorage(): Storage {
  const items: Record<string, string> = {};
  return new Proxy({} as Storage, {
    get: (_, name) =>
      ({
        getItem: (key: string) => items[key] ?? null,
        setItem: (key: string, value: string) => {
          items[key] = value;
        },
        removeItem: (key: string) => delete items[key],
      })[String(name)],
    ownKeys: () => Object.keys(items),
    getOwnPropertyDescriptor: (_, key) => ({ value: items[String(key)], enumerable: true, configurable: true }),
  });
}
