import test from 'ava';
import type { Bodies } from '#control-plane/web/api-client/client.ts';
import {
  type Api,
  ApiProblem,
  createApi,
  limitConcurrency,
  measureOffset,
  read,
} from '#control-plane/web/dashboard/app/session/api.ts';
import { readAll } from '#control-plane/web/dashboard/app/session/read-all.ts';

test('the server’s clock counts only when it differs by two seconds or more', t => {
  const date = 'Sat, 21 Nov 2026 10:00:00 GMT';
  const server = Date.parse(date);
  const cases: [string | null, number, number, number][] = [
    [date, 0, server + 500, 0],
    [date, 0, server - 1400, 0],
    [date, 0, server - 9500, 10_000],
    [date, 0, server + 60_500, -60_000],
    [null, 1234, server, 1234],
    ['no date', 1234, server, 1234],
  ];
  for (const [header, before, now, offset] of cases)
    t.is(measureOffset(header, before, now), offset, `${header} ${now}`);
});

test('at most as many pieces of work run at a time as allowed, in order, and an error frees its slot', async t => {
  const limited = limitConcurrency(2);
  const started: number[] = [];
  let [running, most] = [0, 0];
  const work = (index: number) => async () => {
    started.push(index);
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    if (index % 3 === 0) throw new Error(`failed ${index}`);
    return index;
  };
  const results = await Promise.allSettled(Array.from({ length: 7 }, (_, index) => limited(work(index))));
  t.is(most, 2);
  t.deepEqual(started, [0, 1, 2, 3, 4, 5, 6]);
  t.deepEqual(
    results.map(result => result.status === 'fulfilled'),
    [false, true, true, false, true, true, false],
  );
});

test('a problem carries the API’s sentence, code and fields, whatever the body holds', t => {
  const errors = [{ pointer: '/name', code: 'required', detail: 'must not be empty' }];
  const problem = new ApiProblem(422, {
    title: 'Validation failed',
    detail: 'one field',
    code: 'validation_failed',
    errors,
  });
  t.like(problem, { message: 'one field', status: 422, code: 'validation_failed' });
  t.deepEqual(problem.errors, errors);
  t.is(new ApiProblem(404, { title: 'Not found' }).message, 'Not found');
  t.like(new ApiProblem(502, { errors: 'none' }), { message: 'the server responded with status 502', code: '' });
  t.deepEqual(new ApiProblem(502, { errors: 'none' }).errors, []);
});

test('a POST keeps its idempotency key until it is answered, and gets a new one afterwards', async t => {
  const { api, requests, answer } = openApi();
  answer(new TypeError('connection lost'), [200, {}], [200, {}]);
  const body = { name: 'a' } as Bodies['createMonitor'];
  await t.throwsAsync(api.client.POST('/v0/monitors', { body }));
  await api.client.POST('/v0/monitors', { body });
  await api.client.POST('/v0/monitors', { body });
  const keys = requests.map(({ headers }) => headers['Idempotency-Key']);
  t.regex(keys[0] ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  t.is(keys[1], keys[0]);
  t.not(keys[2], keys[0]);
});

test('a POST that changes nothing has no key, as each key’s response would be stored', async t => {
  const { api, requests, answer } = openApi();
  const path = { id: 'x' };
  const body = {} as never;
  const calls = [
    () => api.client.POST('/v0/status-pages/{id}/preview', { params: { path }, body }),
    () => api.client.POST('/v0/maintenances/preview', { body }),
    () => api.client.POST('/v0/routes/match', { body }),
    () => api.client.POST('/v0/monitors/test', { body }),
    () => api.client.POST('/v0/monitors/{id}/backtest', { params: { path }, body }),
    () => api.client.POST('/v0/monitors', { params: { query: { dry_run: 'true' } }, body }),
    () => api.client.POST('/v0/monitors/bulk', { body: { ids: [], action: 'pause', dry_run: true } }),
    () => api.client.POST('/v0/monitors/bulk', { body: { ids: [], action: 'pause', dry_run: false } }),
    () => api.client.POST('/v0/channels/{id}/test', { params: { path } }),
  ];
  answer(...calls.map((): [number, object] => [200, {}]));
  for (const call of calls) await call();
  const keyed = requests.filter(({ headers }) => headers['Idempotency-Key'] !== undefined).map(request => request.path);
  t.deepEqual(keyed, ['/v0/monitors/bulk', '/v0/channels/x/test']);
});

test('a rate-limited request is repeated, at most eight times', async t => {
  const { api, requests, answer } = openApi();
  answer([429, {}], [200, { name: 'Shop' }]);
  t.deepEqual(await readName(api), { name: 'Shop' });
  answer(...Array.from({ length: 9 }, (): [number, object] => [429, { code: 'rate_limited' }]));
  await t.throwsAsync(readName(api), { instanceOf: ApiProblem });
  t.is(requests.length, 10);
});

test('every page of a list is read, up to the maximum', async t => {
  const { api, requests, answer } = openApi();
  const page = (data: number[], next_cursor: string | null): [number, object] => [
    200,
    { data, pagination: { next_cursor } },
  ];
  answer(page([1, 2], 'a'), page([3, 4], 'b'), page([5], null));
  t.deepEqual(await readNumbers(api), [1, 2, 3, 4, 5]);
  t.deepEqual(
    requests.map(({ path }) => path),
    ['/v0/monitors?limit=200', '/v0/monitors?limit=200&cursor=a', '/v0/monitors?limit=200&cursor=b'],
  );
  answer(page([1, 2], 'a'), page([3, 4], 'b'));
  t.deepEqual(await readNumbers(api, 3), [1, 2, 3, 4]);
});

test('a refused session is reported, and an answer without JSON is still a problem', async t => {
  const { api, answer, signOuts } = openApi();
  answer([401, { detail: 'no session' }]);
  await t.throwsAsync(readName(api), { message: 'no session' });
  t.is(signOuts(), 1);
  answer([502, 'Bad Gateway']);
  await t.throwsAsync(readName(api), { message: 'the server responded with status 502 and no JSON' });
  t.is(signOuts(), 1);
});

test('what needs a confirmation is sent again once by itself, and only if the person confirms', async t => {
  const { api, requests, answer, answers, asked } = openApi();
  const refused: [number, object] = [403, { code: 'confirmation_required', methods: ['passkey'] }];
  const invite = () => api.client.POST('/v0/invitations', { body: { role: 'viewer' } });
  answers(true, true, false);
  answer(refused, [201, { id: 'inv_1' }]);
  t.is((await read(invite())).id, 'inv_1');
  t.deepEqual(asked(), [['passkey']]);
  t.is(requests[1]?.headers['Idempotency-Key'], requests[0]?.headers['Idempotency-Key']);
  answer(refused, refused);
  await t.throwsAsync(invite(), { instanceOf: ApiProblem });
  answer(refused);
  await t.throwsAsync(invite(), { instanceOf: ApiProblem });
  t.deepEqual([requests.length, asked().length], [5, 3]);
  answer([200, { ticket: 't' }]);
  t.deepEqual(await api.post('/auth/passkeys/options', { purpose: 'register' }), { ticket: 't' });
  t.is(requests.at(-1)?.headers['Idempotency-Key'], undefined);
});

test('a passkey that is refused does not end the session', async t => {
  const { api, answer, signOuts } = openApi();
  answer([401, { code: 'sign_in_refused', detail: 'no' }]);
  await t.throwsAsync(api.post('/auth/passkeys/verify', {}), { message: 'no' });
  t.is(signOuts(), 0);
});

const readName = ({ client }: Api) => read(client.GET('/v0/project'));

/** What the server of the tests lists is numbers. */
const readNumbers = ({ client }: Api, max?: number): Promise<unknown[]> =>
  readAll(query => client.GET('/v0/monitors', { params: { query } }), max);

type Request = { path: string; headers: Record<string, string> };

/** An API whose server gives the answers in turn: status and body, or the error of a lost connection. */
function openApi() {
  const requests: Request[] = [];
  const answers: ([number, object | string] | Error)[] = [];
  let signOuts = 0;
  const fetch = async (path: unknown, init?: { headers?: unknown }): Promise<Response> => {
    requests.push({ path: String(path), headers: { ...(init?.headers as Record<string, string>) } });
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error(`unexpected request: ${path}`);
    const [status, body] = answer;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text, { status, headers: { 'retry-after': '0' } });
  };
  const signedOut = () => {
    signOuts += 1;
  };
  const asked: (readonly string[])[] = [];
  const confirms: boolean[] = [];
  const confirm = async (methods: readonly string[]): Promise<boolean> => {
    asked.push(methods);
    return confirms.shift() ?? false;
  };
  const api = createApi({ csrfToken: () => 'csrf', signedOut, confirm, fetch });
  const answer = (...next: typeof answers) => answers.push(...next);
  const asks = { answers: (...next: boolean[]) => confirms.push(...next), asked: () => asked };
  return { api, requests, answer, ...asks, signOuts: () => signOuts };
}
