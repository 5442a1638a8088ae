import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { z } from 'zod';
import { reserveBodyFor } from '../../platform/http/bodies/body-budget.ts';
import { parseBody } from '../../platform/http/bodies/parse-body.ts';
import { readBody } from '../../platform/http/bodies/read-body.ts';
import type { RequestState } from '../../platform/http/middleware/request-id.ts';
import { requireSameOrigin } from '../sessions/same-origin.ts';
import type { SignInServices } from './services.ts';

export type SignInContext = RouterContext<RequestState>;

/** Reads what the dashboard posts, charged to the address it comes from: as a sign-in, or as the beginning of one. */
export async function readPosted<Schema extends z.ZodType>(
  context: SignInContext,
  services: SignInServices,
  schema: Schema,
  charge: 'charge' | 'chargeStart' = 'charge',
): Promise<z.output<Schema>> {
  requireSameOrigin(context.headers, services.baseUrl);
  const owner = services.callerKey(context.req);
  await services[charge](owner);
  const { forms } = services;
  const reserved = reserveBodyFor(context.res, forms, { caller: owner, owner });
  const body = await readBody(context.req, forms.bodyBytesMax, reserved.take);
  return parseBody(schema, body.parse().json ?? {});
}

export function sendJson(context: Koa.Context, status: number, body: unknown): void {
  context.set('Cache-Control', 'no-store');
  context.status = status;
  context.type = 'application/json';
  context.body = JSON.stringify(body);
}
