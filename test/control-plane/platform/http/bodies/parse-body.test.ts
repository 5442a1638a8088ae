import test from 'ava';
import { z } from 'zod';
import { parseBody } from '#control-plane/platform/http/bodies/parse-body.ts';
import { readOnlyKey } from '#control-plane/platform/http/bodies/validate.ts';
import { type FieldError, Problem } from '#control-plane/platform/http/problem.ts';

const schema = z
  .object({ from: z.int(), to: z.int().default(10), note: z.string().max(3).optional() })
  .meta({ [readOnlyKey]: ['id'] });
const tooEarly: FieldError = { pointer: '/to', code: 'out_of_range', detail: 'must not be before from' };

async function errorsOf(body: unknown, check?: Parameters<typeof parseBody<typeof schema>>[2]): Promise<string[]> {
  try {
    await parseBody(schema, body, check);
    return [];
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error;
    return (error.details.errors ?? []).map(item => `${'pointer' in item ? item.pointer : ''} ${item.code}`);
  }
}

test('a valid body is parsed, with its defaults, and its check sees what the handler gets', async t => {
  let seen: unknown;
  const body = await parseBody(schema, { from: 1 }, async fields => {
    seen = fields;
    return [];
  });
  t.deepEqual(body, { from: 1, to: 10 });
  t.deepEqual(seen, body);
});

test('an error of the check alone refuses a body that its schema accepts', async t => {
  t.deepEqual(await errorsOf({ from: 5, to: 1 }, async () => [tooEarly]), ['/to out_of_range']);
});

test('errors of schema, unknown and read-only fields and the check are reported at once', async t => {
  const body = { from: 5, to: 1, note: 'long', id: 'x', nte: 'a' };
  t.deepEqual(await errorsOf(body, async () => [tooEarly]), [
    '/note too_long',
    '/id read_only',
    '/nte not_allowed',
    '/to out_of_range',
  ]);
});

test('the check gets undefined for a field that is wrong, and cannot report that field again', async t => {
  let seen: unknown;
  const errors = await errorsOf({ from: 1, to: 'soon' }, async fields => {
    seen = fields;
    return [tooEarly];
  });
  t.deepEqual(seen, { from: 1, to: undefined });
  t.deepEqual(errors, ['/to type']);
});

test('a body that is not an object is refused as such, and its check gets no fields', async t => {
  for (const body of [null, 1, 'a', [], true]) {
    t.deepEqual(
      await errorsOf(body, async fields => {
        t.deepEqual(fields, {});
        return [];
      }),
      [' type'],
    );
  }
});
