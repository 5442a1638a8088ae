import test from 'ava';
import { ApiProblem } from '#control-plane/web/dashboard/app/session/api.ts';
import {
  type Freshness,
  type PageVisibility,
  pollDelayMs,
  startPolling,
} from '#control-plane/web/dashboard/app/session/poll.ts';

const never = 3_600_000;

test('the delay doubles with each failure, up to a minute', t => {
  const delays = [0, 1, 2, 3, 4, 5, 50].map(failures => pollDelayMs(4000, failures));
  t.deepEqual(delays, [4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  t.is(pollDelayMs(90_000, 3), 90_000, 'an interval above a minute is kept');
});

test('loads repeat at the interval until polling is stopped', async t => {
  const { visibility } = fakeVisibility();
  let loads = 0;
  await new Promise<void>(resolve => {
    const poller = startPolling({
      load: async () => {
        loads += 1;
        if (loads === 3) poller.stop();
      },
      intervalMs: () => 1,
      onFreshness: freshness => loads < 3 && t.is(freshness.error, null),
      visibility: { ...visibility, onChange: () => resolve },
    });
  });
  t.is(loads, 3);
});

test('a failed load keeps the time of the last success, and a success clears the error', async t => {
  const { visibility } = fakeVisibility();
  const seen: Freshness[] = [];
  let fails = false;
  const poller = startPolling({
    load: async () => {
      if (fails) throw new Error('offline');
    },
    intervalMs: () => never,
    onFreshness: freshness => seen.push(freshness),
    visibility,
  });
  t.teardown(() => poller.stop());
  await poller.refresh();
  fails = true;
  await poller.refresh();
  const [before, after] = seen.slice(-2);
  t.not(before?.asOf, null);
  t.is(after?.asOf, before?.asOf);
  t.is(after?.error?.message, 'offline');
  fails = false;
  await poller.refresh();
  t.is(seen.at(-1)?.error, null);
});

test('a refresh during a load waits for a second one, which sees what the caller changed', async t => {
  const { visibility } = fakeVisibility();
  const started: (() => void)[] = [];
  const poller = startPolling({
    load: () => new Promise<void>(resolve => started.push(resolve)),
    intervalMs: () => never,
    onFreshness: () => undefined,
    visibility,
  });
  t.teardown(() => poller.stop());
  let refreshed = false;
  const refresh = poller.refresh().then(() => {
    refreshed = true;
  });
  started[0]?.();
  await new Promise(setImmediate);
  t.is(started.length, 2);
  t.false(refreshed);
  started[1]?.();
  await refresh;
  t.true(refreshed);
});

test('a hidden page loads nothing, and loads immediately when it is shown', async t => {
  const { visibility, show } = fakeVisibility();
  let loads = 0;
  const poller = startPolling({
    load: async () => {
      loads += 1;
    },
    intervalMs: () => 1,
    onFreshness: () => undefined,
    visibility,
  });
  t.teardown(() => poller.stop());
  show(false);
  await poller.refresh();
  const before = loads;
  show(false);
  t.is(loads, before);
  show(true);
  t.is(loads, before + 1);
});

test('a first load that is refused is not repeated; one that was unreachable is', async t => {
  const attempts = async (error: Error): Promise<number> => {
    const { visibility } = fakeVisibility();
    let loads = 0;
    const poller = startPolling({
      load: async () => {
        loads += 1;
        throw error;
      },
      intervalMs: () => 0,
      onFreshness: () => undefined,
      visibility,
    });
    await poller.refresh();
    for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setTimeout(resolve));
    poller.stop();
    return loads;
  };
  t.is(await attempts(new ApiProblem(404, {})), 2, 'the first load and the refresh');
  t.true((await attempts(new TypeError('offline'))) > 2);
});

test('a load that hangs is reported while it goes on, so that old data does not look current', async t => {
  const { visibility } = fakeVisibility();
  const finishers: (() => void)[] = [];
  const seen: (string | null)[] = [];
  let onChange: () => void = () => undefined;
  const poller = startPolling({
    load: () => new Promise<void>(resolve => finishers.push(resolve)),
    intervalMs: () => never,
    onFreshness: ({ error }) => {
      seen.push(error?.name ?? null);
      onChange();
    },
    visibility,
    patienceMs: 1,
  });
  t.teardown(() => poller.stop());
  const next = () => new Promise<void>(resolve => (onChange = resolve));
  finishers[0]?.();
  await next();
  const hanging = next();
  void poller.refresh();
  await hanging;
  t.deepEqual(seen, [null, 'TimeoutError']);
  const done = next();
  finishers[1]?.();
  await done;
  t.is(seen.at(-1), null);
});

function fakeVisibility(): { visibility: PageVisibility; show(visible: boolean): void } {
  let hidden = false;
  const listeners = new Set<() => void>();
  const visibility: PageVisibility = {
    isHidden: () => hidden,
    onChange: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const show = (visible: boolean) => {
    hidden = !visible;
    for (const listener of listeners) listener();
  };
  return { visibility, show };
}
