/** Every problem code with its status, title and explanation; the pages at /problems/<code> show them. */
export const problems = {
  invalid_json: [
    400,
    'The body is not valid JSON',
    'The body must be one JSON document in UTF-8, nested at most 64 levels deep.',
  ],
  invalid_parameter: [
    400,
    'A parameter is not valid',
    'A query parameter, a path or a header has an invalid value; `errors` names it.',
  ],
  invalid_cursor: [
    400,
    'The cursor is not valid',
    'A cursor works only with the list and the filters it was issued for. Start again without a cursor.',
  ],
  invalid_idempotency_key: [
    400,
    'The Idempotency-Key is not valid',
    'The header must contain one UUID, with or without quotes.',
  ],
  empty_batch: [400, 'The batch is empty', 'Send at least one item.'],
  missing_token: [
    401,
    'A token is required',
    'Send `Authorization: Bearer <token>`. The operator creates tokens with `npm run admin -- token create`.',
  ],
  invalid_token: [
    401,
    'The token is not valid',
    'This server does not know the token: check that you copied all of it.',
  ],
  token_expired: [401, 'The token has expired', 'Create a new token.'],
  token_revoked: [401, 'The token was revoked', 'Create a new token.'],
  invalid_signature: [401, 'The signature is not valid', 'The signature, its time or the secret is wrong.'],
  insufficient_scope: [
    403,
    'A scope is missing',
    'The token, or your role in the project, does not have the scope that this endpoint requires; `detail` names it.',
  ],
  person_required: [403, 'Only people can do this', 'Sign in to the dashboard as yourself: a token cannot do this.'],
  not_a_member: [
    403,
    'You are not a member of the project',
    'The project does not exist, or you are not one of its members. Ask one of its admins for an invitation.',
  ],
  confirmation_required: [
    403,
    'Confirm that it is you',
    'This needs a confirmation within the last ten minutes; `methods` says how you can give one.',
  ],
  origin_not_allowed: [403, 'The origin is not allowed', 'Add the origin to `allowed_origins` of the project.'],
  not_found: [404, 'Not found', 'No such resource exists in the token’s project.'],
  method_not_allowed: [
    405,
    'The method is not allowed here',
    'The header `Allow` lists the methods that this address supports.',
  ],
  request_timeout: [408, 'The request timed out', 'Send the complete request more quickly.'],
  already_resolved: [409, 'Already resolved', 'A resolved alert or incident cannot be resolved or acknowledged again.'],
  alert_already_promoted: [
    409,
    'The alert has already been promoted',
    'An incident exists for this alert; `incident_id` identifies it.',
  ],
  alert_resolved: [409, 'The alert is resolved', 'A resolved alert cannot be acknowledged.'],
  last_admin: [
    409,
    'Nobody would be left to administer it',
    'Make somebody else admin of the project, or operator of the installation, first.',
  ],
  already_invited: [
    409,
    'The address is already invited',
    '`invitation_id` is the open invitation: send it again, or revoke it first.',
  ],
  already_member: [409, 'The person is already a member', 'Change the role of the member instead.'],
  limit_reached: [
    409,
    'The project’s quota is used up',
    '`resource`, `maximum` and `used` say which quota. Delete something, or ask the operator to raise it.',
  ],
  monitor_paused: [409, 'The monitor is paused', 'Resume the monitor first: a paused one is not checked.'],
  name_taken: [409, 'The name is taken', 'This name is already used in the project. Choose another one.'],
  channel_in_use: [409, 'The channel is in use', 'A route uses this channel. Remove it from the route first.'],
  secret_in_use: [
    409,
    'The secret is in use',
    'Monitors name this secret; `monitors` lists some of them. Remove it from them first.',
  ],
  maintenance_over: [
    409,
    'The maintenance is not in progress',
    'It has ended or was cancelled, so there is nothing to extend, end or cancel.',
  ],
  slug_taken: [409, 'The slug is taken', 'Choose another slug.'],
  wrong_kind: [
    409,
    'The monitor is of another kind',
    'Monitors of this kind do not have what the request asks for; `detail` says why.',
  ],
  component_in_use: [
    409,
    'The component is in use',
    'An open incident affects this component. Resolve the incident or remove the component from it first.',
  ],
  status_page_in_use: [409, 'The status page is in use', 'Delete its components and resolve its incidents first.'],
  delivery_not_replayable: [
    409,
    'The delivery cannot be replayed',
    'Only failed and held deliveries can be sent again.',
  ],
  count_changed: [
    409,
    'The number of matches has changed',
    'The number of matches differs from `expected_count`; `matched` is the current number. Repeat the dry run.',
  ],
  idempotency_in_progress: [
    409,
    'The first request is still running',
    'A request with this Idempotency-Key has not finished yet. Try again in a second.',
  ],
  changed_since: [
    412,
    'The resource has changed since',
    'Its `updated_at` is not the one in `If-Match`. Read it again, then repeat the change if it is still right.',
  ],
  plan_stale: [
    409,
    'The plan is out of date',
    'Something that the plan compared has changed since; `changed` names it. Plan again, and look at what it says now.',
  ],
  plan_has_conflicts: [
    409,
    'The plan has conflicts',
    'Its actions with `conflict` say what is in the way. Change the documents, or plan with `adopt`.',
  ],
  apply_in_progress: [
    409,
    'Another apply is running',
    'One plan at a time is applied to a project. Try again in a moment.',
  ],
  link_expired: [
    410,
    'The link has expired',
    'The link was used, withdrawn, or is too old. Ask for another one, or open the dashboard.',
  ],
  payload_too_large: [413, 'The body is too large', 'Send less data per request; `detail` states the limit.'],
  batch_too_large: [413, 'The batch is too large', 'Send fewer items per request.'],
  unsupported_media_type: [
    415,
    'The media type is not supported',
    'Send `Content-Type: application/json` without a content encoding.',
  ],
  validation_failed: [422, 'The body is not valid', '`errors` lists every field that is wrong, and why.'],
  idempotency_key_reused: [
    422,
    'The Idempotency-Key was used for another request',
    'Use a new key for each new request.',
  ],
  release_not_ingestible: [422, 'Releases are not accepted as events', 'Send releases to `POST /v0/releases`.'],
  backtest_too_large: [
    422,
    'The back-test is too large',
    'The range has more results than a back-test reads; `detail` names a range that fits.',
  ],
  rate_limited: [429, 'Too many requests', 'Wait for the number of seconds in `retry_after`.'],
  headers_too_large: [431, 'The headers are too large', 'Send fewer or shorter headers.'],
  internal_error: [
    500,
    'Something went wrong on our side',
    'You can try the request again. If it keeps failing, give the operator the `request_id`.',
  ],
  unavailable: [
    503,
    'Temporarily unavailable',
    'The database cannot be reached, or what the request needs is in use. Nothing was changed; try again in a moment.',
  ],
} as const satisfies Record<string, readonly [number, string, string]>;

export type ProblemCode = keyof typeof problems;
