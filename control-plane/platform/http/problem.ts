import { Undo } from '../db/undo.ts';
import { type ProblemCode, problems } from './problem-codes.ts';

/** Codes of field errors. */
export const fieldCodes = [
  'required',
  'type',
  'enum',
  'format',
  'too_short',
  'too_long',
  'out_of_range',
  'unknown_reference',
  'read_only',
  'in_future',
  'not_allowed',
] as const;
export type FieldCode = (typeof fieldCodes)[number];

/** One wrong value: at a JSON `pointer` into the body, or a `parameter` of the query, path or headers. */
export type FieldError = { code: FieldCode; detail: string } & ({ pointer: string } | { parameter: string });

export type ProblemDetails = {
  detail?: string;
  errors?: readonly FieldError[];
  retryAfter?: number;
  headers?: Record<string, string>;
  extra?: Record<string, unknown>;
};

/** When callers may try again while the database is away. */
export const awaySeconds = 5;

/** Most field errors in one response. */
export const errorsMax = 100;

/** An error reported to the caller: an invalid request, or one not possible now. Others become `internal_error`. */
export class Problem extends Undo {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.detail ?? problems[code][1]);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return problems[this.code][0];
  }
}

/** `validation_failed` with one wrong field. */
export function fieldProblem(pointer: string, code: FieldCode, detail: string): Problem {
  return new Problem('validation_failed', { errors: [{ pointer, code, detail }] });
}

/** `WWW-Authenticate` of a 401. RFC 6750: no error for a request without a token. */
export function challengeOf({ code }: Problem): string {
  return code === 'missing_token' ? 'Bearer' : 'Bearer error="invalid_token"';
}

/** The body of the response, RFC 9457. */
export function problemBody(
  problem: Problem,
  context: { baseUrl: string; path: string; requestId: string },
): Record<string, unknown> {
  const { detail, errors, retryAfter, extra } = problem.details;
  return {
    type: `${context.baseUrl}/problems/${problem.code}`,
    title: problems[problem.code][1],
    status: problem.status,
    detail: detail ?? problems[problem.code][2],
    instance: context.path,
    code: problem.code,
    request_id: context.requestId,
    ...(errors === undefined ? {} : { errors: errors.slice(0, errorsMax) }),
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
    ...extra,
  };
}
