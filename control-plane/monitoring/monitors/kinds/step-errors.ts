import { type Assertion, assertionsMax, onlyWarns } from '#shared/assertions/assertion.ts';
import { referencesIn, runId } from '#shared/checks/templates.ts';
import { pointerTo } from '../../../platform/http/bodies/unknown-fields.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import { authErrors } from '../auth/auth.ts';
import type { StepSettings } from './steps.ts';

/** All requests and assertions of a monitor reach agents in one message. */
const stepsBytesMax = 131_072;
const timeoutMinMs = 1000;

const types: readonly Assertion['type'][] = [
  'status',
  'body_contains',
  'header',
  'json_path',
  'http_version',
  'tls_version',
  'latency',
];
const ofBody: readonly string[] = ['body_contains', 'json_path', 'regex'];

/** Pure: what does not fit between steps, each in itself valid. `timeoutMs` is null if it is not known. */
export function stepErrors(
  steps: readonly StepSettings[],
  ownAssertions: number,
  timeoutMs: number | null,
): FieldError[] {
  if (steps.length === 0) return [{ pointer: '/multistep/steps', code: 'required', detail: 'is required' }];
  const errors = steps.flatMap((step, index) => [
    ...formErrors(steps, step, index, timeoutMs),
    ...requestErrors(step, index),
    ...signInErrors(step, index),
    ...referenceErrors(steps, step, index),
  ]);
  const whole = '/multistep/steps';
  if (timeoutMs !== null && timeoutMs < timeoutMinMs)
    errors.push({ pointer: '/timeout_ms', code: 'out_of_range', detail: `must be at least ${timeoutMinMs}` });
  const count = steps.reduce((sum, { assertions }) => sum + Math.max(1, assertions.length), ownAssertions);
  if (count > assertionsMax)
    errors.push({
      pointer: whole,
      code: 'too_long',
      detail: `may have ${assertionsMax} assertions with the monitor’s`,
    });
  if (Buffer.byteLength(JSON.stringify(steps)) > stepsBytesMax)
    errors.push({ pointer: whole, code: 'too_long', detail: `must not exceed ${stepsBytesMax} bytes together` });
  return errors;
}

const at = (index: number, ...path: readonly PropertyKey[]) => pointerTo(['multistep', 'steps', index, ...path]);

function refused(pointer: string, detail: string): FieldError {
  return { pointer, code: 'not_allowed', detail };
}

function formErrors(
  steps: readonly StepSettings[],
  { name, always, timeout_ms: limit, extract }: StepSettings,
  index: number,
  timeoutMs: number | null,
): FieldError[] {
  const before = steps.slice(0, index);
  const errors: FieldError[] = [];
  if (before.some(step => step.name === name)) errors.push(refused(at(index, 'name'), 'is the name of another step'));
  if (always && (index === 0 || index < steps.length - 1))
    errors.push(refused(at(index, 'always'), 'is for the last of several steps'));
  if (limit !== null && timeoutMs !== null && limit > timeoutMs)
    errors.push({ pointer: at(index, 'timeout_ms'), code: 'out_of_range', detail: 'must not exceed the monitor’s' });
  for (const [place, one] of extract.entries()) {
    const taken = [...before.flatMap(step => step.extract), ...extract.slice(0, place)];
    if (taken.some(other => other.name === one.name))
      errors.push(refused(at(index, 'extract', place, 'name'), 'is the name of another value'));
  }
  return errors;
}

function requestErrors({ method, body, assertions, extract }: StepSettings, index: number): FieldError[] {
  const errors: FieldError[] = [];
  if (body !== null && (method === 'GET' || method === 'HEAD'))
    errors.push(refused(at(index, 'body'), `must be null: ${method} requests have no body`));
  const noBody = 'needs a body, and the answer to a HEAD request has none';
  for (const [place, assertion] of assertions.entries()) {
    const pointer = at(index, 'assertions', place);
    if (!types.includes(assertion.type)) errors.push(refused(`${pointer}/type`, 'is not of steps'));
    if (onlyWarns(assertion)) errors.push(refused(`${pointer}/on_fail`, 'must be err in a step'));
    if (method === 'HEAD' && ofBody.includes(assertion.type)) errors.push(refused(pointer, noBody));
  }
  for (const [place, { from }] of extract.entries())
    if (method === 'HEAD' && ofBody.includes(from)) errors.push(refused(at(index, 'extract', place, 'from'), noBody));
  return errors;
}

/** Agents put values of other steps into headers, which a token becomes; in all else of `auth` braces are text. */
function signInErrors({ auth, headers }: StepSettings, index: number): FieldError[] {
  const pointer = at(index, 'auth');
  const errors = authErrors(auth, Object.keys(headers), { takesAuth: true, kind: 'multistep', pointer });
  const token = auth?.type === 'bearer' ? auth.token : '';
  const other = referencesIn(token).find(({ name }) => !name.startsWith('secret.'));
  if (other === undefined) return errors;
  const detail = 'stands for no value of a step here: send it in a header Authorization';
  return [...errors, { pointer: at(index, 'auth', 'token'), code: 'unknown_reference', detail }];
}

function referenceErrors(steps: readonly StepSettings[], step: StepSettings, index: number): FieldError[] {
  const known = new Set([runId, ...steps.slice(0, index).flatMap(({ extract }) => extract.map(({ name }) => name))]);
  const { url, headers, body } = step;
  const texts: [path: readonly string[], text: string][] = [
    [['url'], url],
    ...Object.entries(headers).map(([name, value]): [string[], string] => [['headers', name], value]),
    [['body'], body ?? ''],
  ];
  return texts.flatMap(([path, text]): FieldError[] => {
    const pointer = at(index, ...path);
    const isSecret = (name: string) => path[0] !== 'url' && name.startsWith('secret.');
    const wrong = referencesIn(text).find(
      ({ name, filter }) => !isSecret(name) && (filter === undefined || !known.has(name)),
    );
    if (wrong === undefined) return [];
    // Of a secret in a URL `shownReferenceErrors` says it.
    if (wrong.name.startsWith('secret.')) return [];
    const detail = `${wrong.text} is no value that an earlier step takes, nor {{run.id}}, with |json or |url`;
    return [{ pointer, code: 'unknown_reference', detail: detail.slice(0, 300) }];
  });
}
