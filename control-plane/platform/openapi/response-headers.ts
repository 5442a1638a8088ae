import type { Endpoint } from '../http/endpoint/endpoint.ts';
import type { JsonObject } from './components.ts';

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

/** Every header of responses that clients may read, by name. */
export const responseHeaders = {
  'X-Request-Id': text(
    'ID of the request. It is the one of the request’s `X-Request-Id`, if that is well-formed.',
    'req_01kay5t9c3fzq8w2k6n7v4b1hm',
  ),
  'RateLimit-Policy': text('Requests (`q`) that are allowed in a window of `w` seconds.', '"requests";q=600;w=60'),
  RateLimit: text('Requests that remain (`r`), and seconds until the limit is whole (`t`).', '"requests";r=599;t=1'),
  'Retry-After': {
    description: 'Seconds to wait before the next attempt, as `retry_after` in the body.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  Location: text('Path of the resource that was created.', '/v0/monitors/mon_01kay5t9c3fzq8w2k6n7v4b1hm'),
  'Idempotency-Replayed': {
    description: '`true` if the response is the stored one of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
} as const;

/** References to the headers of a successful response. */
export function successHeaders({ method, kind }: Endpoint, status: number, located: boolean): JsonObject {
  return references([
    'X-Request-Id',
    ...(kind !== 'raw' ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
    ...(status === 201 && located ? (['Location'] as const) : []),
    ...(method === 'post' && kind !== 'raw' ? (['Idempotency-Replayed'] as const) : []),
  ]);
}

/** References to the headers of a response with a problem. */
export function problemHeaders(status?: number): JsonObject {
  const mayRetry = status === undefined || [409, 429, 503].includes(status);
  return references(['X-Request-Id', ...(mayRetry ? (['Retry-After'] as const) : [])]);
}

function references(names: readonly (keyof typeof responseHeaders)[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
}
