import test from 'ava';
import { ApiProblem } from '#control-plane/web/dashboard/app/session/api.ts';
import { describeError, fieldError, otherErrors, remedyOf } from '#control-plane/web/dashboard/app/session/error.ts';

const invalid = new ApiProblem(422, {
  detail: 'the body is invalid',
  errors: [
    { pointer: '/name', code: 'required', detail: 'must not be empty' },
    { pointer: '/regions/0', code: 'unknown', detail: 'there is no region `mars`' },
    { parameter: 'limit', code: 'range', detail: 'must be at most 200' },
  ],
});

test('an error is described in a sentence, with what to do', t => {
  const timeout = Object.assign(new Error('aborted'), { name: 'TimeoutError' });
  const scope = new ApiProblem(403, { detail: 'this endpoint needs the scope `alerts:read`' });
  t.is(describeError(scope), 'This endpoint needs the scope alerts:read.');
  t.is(describeError(new ApiProblem(500, { detail: 'Try again!' })), 'Try again!');
  t.is(describeError(timeout), 'The server did not respond in time.');
  t.is(describeError(new TypeError('Failed to fetch')), 'The server cannot be reached.');
  t.regex(remedyOf(new ApiProblem(503, {})) ?? '', /request ID/);
  t.regex(remedyOf(new ApiProblem(412, {})) ?? '', /Reload/);
  t.is(remedyOf(new ApiProblem(409, {})), null);
  t.regex(remedyOf(new ApiProblem(403, { code: 'insufficient_scope' })) ?? '', /admin of the project/);
  t.regex(remedyOf(new ApiProblem(403, { code: 'origin_not_allowed' })) ?? '', /PUBLIC_URL/);
  t.is(remedyOf(new ApiProblem(403, { code: 'method_disabled' })), null, 'no token helps');
});

test('a field shows its own error, and the note lists the others', t => {
  t.is(fieldError(invalid, 'name'), 'Must not be empty.');
  t.is(fieldError(invalid, 'regions'), 'There is no region mars.');
  t.is(fieldError(invalid, 'url'), null);
  t.is(fieldError(new Error('offline'), 'name'), null);
  t.deepEqual(otherErrors(invalid, ['name']), ['Regions.0 there is no region mars.', 'Limit must be at most 200.']);
});
