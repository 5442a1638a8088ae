import type { ValidFields } from '../http/bodies/parse-body.ts';
import { allows, type Caller } from '../http/endpoint/caller.ts';
import type { FieldError } from '../http/problem.ts';
import type { TokenPost } from './token.ts';

/** Errors of a new token: a scope that its maker does not have, an expiry in the past or after its maker's. */
export function validateToken(
  { scopes = [], expires_at: expiresAt }: ValidFields<TokenPost>,
  maker: Pick<Caller, 'scopes' | 'expiresAt'>,
  nowMs: number,
): FieldError[] {
  const errors = scopes.flatMap((scope, index): FieldError[] => {
    const pointer = `/scopes/${index}`;
    const detail = 'is a scope that you do not have yourself';
    return allows(maker.scopes, scope) ? [] : [{ pointer, code: 'not_allowed', detail }];
  });
  if (typeof expiresAt === 'number' && expiresAt <= nowMs)
    errors.push({ pointer: '/expires_at', code: 'out_of_range', detail: 'must be in the future' });
  else if (
    maker.expiresAt !== null &&
    expiresAt !== undefined &&
    (expiresAt ?? Number.POSITIVE_INFINITY) > maker.expiresAt
  )
    errors.push({
      pointer: '/expires_at',
      code: 'out_of_range',
      detail: 'must not be after the expiry of your own token',
    });
  return errors;
}
