import test from 'ava';
import { readEvents } from '#control-plane/web/api-client/server-events.ts';
import { type Change, startLive } from '#control-plane/web/dashboard/app/session/change-stream.ts';
import type { PageVisibility } from '#control-plane/web/dashboard/app/session/poll.ts';

const encoder = new TextEncoder();

/** A server whose streams the test writes, one after the other. */
function fakeServer() {
  const requests: { lastEventId: string | null; csrf: string | null; signal: AbortSignal }[] = [];
  const answers: Response[] = [];
  let arrived = () => {};
  return {
    requests,
    fetch: (async (_: string, { headers, signal }: RequestInit) => {
      const given = new Headers(headers);
      requests.push({
        lastEventId: given.get('last-event-id'),
        csrf: given.get('x-csrf-token'),
        signal: signal as AbortSignal,
      });
      arrived();
      return answers.shift() ?? new Promise(() => {});
    }) as typeof fetch,
    answer: (text: string, status = 200) => {
      answers.push(new Response(new Blob([text]).stream(), { status }));
    },
    next: () =>
      new Promise<void>(resolve => {
        arrived = resolve;
      }),
  };
}

function fakeVisibility() {
  let listener = () => {};
  let hidden = false;
  const visibility: PageVisibility = {
    isHidden: () => hidden,
    onChange: callback => {
      listener = callback;
      return () => {};
    },
  };
  return {
    visibility,
    hide: (value: boolean) => {
      hidden = value;
      listener();
    },
  };
}

const ready = 'event: ready\nid: 5\ndata: {"resumed":false}\n\n';
const change = 'event: change\nid: 7\ndata: {"topic":"alerts","ids":["alr_1"]}\n\n';

test('events are read as they come, in whatever parts', async t => {
  const bytes = encoder.encode(`${ready}event: beat\ndata: {"name":"Ü"}\n\n${change}half`);
  const body = new ReadableStream<Uint8Array>({
    start: controller => {
      for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
      controller.close();
    },
  });
  const events = await Array.fromAsync(readEvents(body));
  t.deepEqual(events, [
    { event: 'ready', id: '5', data: { resumed: false } },
    { event: 'beat', id: '', data: { name: 'Ü' } },
    { event: 'change', id: '7', data: { topic: 'alerts', ids: ['alr_1'] } },
  ]);
});

test('after a break it goes on where it was, and stops for good when the session has ended', async t => {
  const server = fakeServer();
  const { visibility } = fakeVisibility();
  const seen: (Change | boolean)[] = [];
  server.answer(ready + change);
  server.answer('', 503);
  server.answer(`${ready}event: end\ndata: {"code":"token_revoked"}\n\n`);
  await new Promise<void>(resolve => {
    startLive({
      csrfToken: () => 'csrf',
      onChange: seen.push.bind(seen),
      onState: state => seen.push(state),
      signedOut: resolve,
      fetch: server.fetch,
      wait: async () => {},
      visibility,
    });
  });
  t.deepEqual(
    server.requests.map(({ lastEventId, csrf }) => [lastEventId, csrf]),
    [
      [null, 'csrf'],
      ['7', 'csrf'],
      ['7', 'csrf'],
    ],
  );
  t.deepEqual(seen, [true, { topic: 'alerts', ids: ['alr_1'] }, false, false, true]);
});

test('who may do less looks what is left, and hears of it; who is no member any more hears of nothing', async t => {
  const server = fakeServer();
  const { visibility } = fakeVisibility();
  const looks: number[] = [];
  server.answer(`${ready}event: end\ndata: {"code":"insufficient_scope"}\n\n`);
  server.answer(`${ready}event: end\ndata: {"code":"not_a_member"}\n\n`);
  await new Promise<void>(resolve => {
    startLive({
      csrfToken: () => '',
      onChange: () => {},
      onState: () => {},
      signedOut: () => t.fail(),
      notMember: () => {
        if (looks.push(server.requests.length) === 2) resolve();
      },
      fetch: server.fetch,
      wait: async () => {},
      visibility,
    });
  });
  t.deepEqual(looks, [1, 2]);
});

test('nothing is asked while the page is hidden', async t => {
  const server = fakeServer();
  const { visibility, hide } = fakeVisibility();
  const first = server.next();
  const live = startLive({
    csrfToken: () => '',
    onChange: () => {},
    onState: () => {},
    signedOut: () => t.fail(),
    fetch: server.fetch,
    wait: async () => {},
    visibility,
  });
  await first;
  hide(true);
  t.true(server.requests[0]?.signal.aborted);
  const second = server.next();
  hide(false);
  server.answer(ready);
  live.stop();
  void second;
  t.true(server.requests.length <= 2);
});

test('a stream that says nothing more is as good as cut', async t => {
  const { visibility } = fakeVisibility();
  const states: boolean[] = [];
  let requests = 0;
  await new Promise<void>(resolve => {
    const live = startLive({
      csrfToken: () => '',
      onChange: () => t.fail(),
      onState: state => {
        states.push(state);
        if (states.length < 3) return;
        live.stop();
        resolve();
      },
      signedOut: () => t.fail(),
      fetch: (async (_: string, { signal }: RequestInit) => {
        requests += 1;
        const body = new ReadableStream<Uint8Array>({
          start: controller => {
            controller.enqueue(encoder.encode(ready));
            signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
          },
        });
        return new Response(body);
      }) as typeof fetch,
      wait: async () => {},
      visibility,
      silenceMs: 20,
    });
  });
  t.deepEqual(states, [true, false, true]);
  t.is(requests, 2);
});
