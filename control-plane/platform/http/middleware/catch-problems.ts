import type { Context, Middleware } from 'koa';
import { errorCode } from '#shared/error-code.ts';
import type { Logger } from '#shared/log.ts';
import { classifyFault, isLockTimeout } from '../../db/errors.ts';
import { awaySeconds, challengeOf, Problem, problemBody } from '../problem.ts';
import type { RequestState } from './request-id.ts';

/** Answers whatever is thrown further in as a problem, RFC 9457. Nothing rises above it. */
export function catchProblems({ log, baseUrl }: { log: Logger; baseUrl: string }): Middleware<RequestState> {
  return async (context, next) => {
    try {
      await next();
    } catch (error) {
      const { requestId } = context.state;
      const problem = toProblem(error, log, requestId);
      context.state.problem = problem.code;
      sendProblem(context, problem, baseUrl, requestId);
    }
  };
}

/** The problem that the caller has with an error; null if it is ours. */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  if (!isLockTimeout(error)) return null;
  const detail = 'another change to the same resource is in progress; nothing was changed, try again in a moment';
  return new Problem('unavailable', { retryAfter: 1, detail });
}

function toProblem(error: unknown, log: Logger, requestId: string): Problem {
  if (isLockTimeout(error)) log.info({ request_id: requestId }, 'request gave up waiting for a lock');
  const problem = problemOf(error);
  if (problem !== null) return problem;
  const fault = classifyFault(error);
  // Data only PostgreSQL rejects means that our validation has a gap: a retry would fail the same way.
  if (fault === 'other' || fault === 'data') {
    log.error({ err: error, request_id: requestId }, 'request failed');
    return new Problem('internal_error');
  }
  log.warn({ code: errorCode(error), request_id: requestId }, 'database not available');
  return new Problem('unavailable', { retryAfter: fault === 'away' ? awaySeconds : 1 });
}

function sendProblem(context: Context, problem: Problem, baseUrl: string, requestId: string): void {
  const { retryAfter, headers = {} } = problem.details;
  context.status = problem.status;
  if (problem.status === 401) context.set('WWW-Authenticate', challengeOf(problem));
  if (retryAfter !== undefined) context.set('Retry-After', String(retryAfter));
  context.set(headers);
  const onlyJson = context.get('accept').trim().toLowerCase() === 'application/json';
  context.body = JSON.stringify(problemBody(problem, { baseUrl, path: context.path, requestId }));
  context.set('Content-Type', onlyJson ? 'application/json' : 'application/problem+json');
}
