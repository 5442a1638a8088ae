/** Every code an answer may carry, its status and what it means: also the pages at /problems/<code>. */
export const problems = {
  invalid_json: [
    400,
    'The body is not valid JSON',
    'The body must be one JSON document in UTF-8, nested at most 64 levels deep.',
  ],
  invalid_parameter: [
    400,
    'A parameter is not valid',
    'A query parameter, path or header does not have the form it must have; `errors` names it.',
  ],
  invalid_cursor: [
    400,
    'The cursor is not valid',
    'A cursor works only with the list and the filters it was given for. Start again without it.',
  ],
  invalid_idempotency_key: [400, 'The Idempotency-Key is not valid', 'The header must hold one UUID, bare or quoted.'],
  empty_batch: [400, 'The batch is empty', 'Send at least one item.'],
  missing_token: [
    401,
    'A token is needed',
    'Send `Authorization: Bearer <token>`. The operator makes tokens with `npm run admin -- token create`.',
  ],
  invalid_token: [401, 'The token is not valid', 'The token is not one of ours: check that it was copied whole.'],
  token_expired: [401, 'The token has expired', 'Make a new token.'],
  token_revoked: [401, 'The token was revoked', 'Make a new token.'],
  insufficient_scope: [
    403,
    'The token may not do this',
    'The token lacks the scope that this endpoint needs; `detail` names it.',
  ],
  origin_not_allowed: [403, 'The origin is not allowed', 'Add the origin to the project’s `allowed_origins`.'],
  not_found: [404, 'Not found', 'Nothing with this address exists in the token’s project.'],
  method_not_allowed: [405, 'The method is not allowed here', 'The header `Allow` names the methods of this address.'],
  request_timeout: [408, 'The request took too long to arrive', 'Send the whole request at once.'],
  already_resolved: [409, 'Already resolved', 'What is resolved cannot be resolved or acknowledged again.'],
  alert_already_promoted: [409, 'The alert is an incident already', '`incident_id` names the incident.'],
  alert_resolved: [409, 'The alert is resolved', 'A resolved alert cannot be acknowledged.'],
  slug_taken: [409, 'The slug is taken', 'Choose another slug.'],
  component_in_use: [409, 'The component is in use', 'An open incident names this component.'],
  status_page_in_use: [409, 'The status page is in use', 'Delete what belongs to it first.'],
  delivery_not_replayable: [409, 'The delivery cannot be replayed', 'Only what failed or is held can be sent again.'],
  idempotency_in_progress: [
    409,
    'The first request is still running',
    'A request with this Idempotency-Key has not ended. Try again in a second.',
  ],
  payload_too_large: [413, 'The body is too large', 'Send less at once; `detail` names the limit.'],
  batch_too_large: [413, 'The batch is too large', 'Send fewer items at once.'],
  unsupported_media_type: [
    415,
    'The media type is not supported',
    'Send `Content-Type: application/json` without a content encoding.',
  ],
  validation_failed: [422, 'The body breaks a rule', '`errors` names every field that is wrong and why.'],
  idempotency_key_reused: [422, 'The Idempotency-Key was used for another request', 'Use a new key for a new request.'],
  release_not_ingestible: [422, 'Releases are not ingested as events', 'Post releases to /v0/releases.'],
  rate_limited: [429, 'Too many requests', 'Wait `retry_after` seconds.'],
  headers_too_large: [431, 'The headers are too large', 'Send fewer or shorter headers.'],
  internal_error: [
    500,
    'Something went wrong on our side',
    'The request may be tried again. Tell the operator the `request_id`.',
  ],
  unavailable: [
    503,
    'Not available now',
    'The database cannot be reached. Nothing was changed; try again in a moment.',
  ],
} as const satisfies Record<string, readonly [number, string, string]>;

export type ProblemCode = keyof typeof problems;

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

/** One wrong field: by `pointer` into the body, or by the name of a `parameter`. */
export type FieldError = { code: FieldCode; detail: string } & ({ pointer: string } | { parameter: string });

export type ProblemDetails = {
  detail?: string;
  errors?: readonly FieldError[];
  retryAfter?: number;
  headers?: Record<string, string>;
  extra?: Record<string, unknown>;
};

/** At most so many faults are told in one answer. */
const errorsMax = 100;

/** What the caller did wrong, or what we cannot do now. All other errors become `internal_error`. */
export class Problem extends Error {
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

/** A body with one wrong field. */
export function fieldProblem(pointer: string, code: FieldCode, detail: string): Problem {
  return new Problem('validation_failed', { errors: [{ pointer, code, detail }] });
}

/** The body of the answer, RFC 9457. */
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
