import type { Middleware } from 'koa';
import { newId } from '#shared/ids.ts';
import type { Sender } from '../endpoint/caller.ts';

/** What the middlewares of one request share. */
export type RequestState = {
  requestId: string;
  /** Known once it is authenticated. */
  sender?: Sender;
  /** The code of the problem that it is answered with. */
  problem?: string;
};

/** Gives the request its id: in `context.state.requestId` and in the response header `X-Request-Id`. */
export const setRequestId: Middleware<RequestState> = (context, next) => {
  const requestId = requestIdOf(context.get('x-request-id'));
  context.state.requestId = requestId;
  context.set('X-Request-Id', requestId);
  context.set('X-Content-Type-Options', 'nosniff');
  return next();
};

/** The caller's own id if it is safe in a log line, so that both sides find the request; otherwise a new one. */
function requestIdOf(header: string): string {
  return /^[A-Za-z0-9_-]{8,128}$/.test(header) ? header : newId('req');
}
