import { ApiProblem, type FieldError } from './api.ts';

/** An error that happens in the browser; its message is what to say. */
export class BrowserError extends Error {
  override name = 'BrowserError';
}

/** An error as a sentence. */
export function describeError(problem: Error): string {
  if (problem instanceof ApiProblem) return sentence(problem.message);
  if (problem instanceof BrowserError) return problem.message;
  return problem.name === 'TimeoutError' ? 'The server did not respond in time.' : 'The server cannot be reached.';
}

/** What the reader can do about an error; null if the sentence itself says it. */
export function remedyOf(problem: Error): string | null {
  if (problem instanceof BrowserError) return null;
  if (!(problem instanceof ApiProblem)) return 'Check the connection, then try again.';
  if (problem.status === 412) return 'Reload to see the current version, then make your change again.';
  if (problem.status === 429) return 'Wait a moment, then try again.';
  if (problem.code === 'confirmation_required')
    return 'Confirm that it is you, then send this again: what you typed stays here.';
  if (problem.status === 403 && problem.code === 'insufficient_scope')
    return 'Ask an admin of the project, or sign in with a token that has this scope.';
  if (problem.code === 'origin_not_allowed') return 'Open the dashboard at that address: the operator sets PUBLIC_URL.';
  return problem.status >= 500 ? 'Try again. If the problem persists, send this request ID to your operator.' : null;
}

/** The error of one field, such as `name` or `config/url`, as a sentence; null if the field is fine. */
export function fieldError(problem: Error | null, field: string): string | null {
  if (!(problem instanceof ApiProblem)) return null;
  const error = problem.errors.find(candidate => isOf(field, candidate));
  return error === undefined ? null : sentence(error.detail);
}

/** The errors of fields that do not show them themselves, as sentences. */
export function otherErrors(problem: Error, fields: readonly string[]): string[] {
  if (!(problem instanceof ApiProblem)) return [];
  return problem.errors
    .filter(error => !fields.some(field => isOf(field, error)))
    .map(error => sentence(`${pathOf(error)} ${error.detail}`.trim()));
}

/** Whether an error is about a field or a part of it: `/regions/0` is about `regions`. */
function isOf(field: string, { pointer, parameter }: FieldError): boolean {
  return pointer === undefined ? parameter === field : `${pointer}/`.startsWith(`/${field}/`);
}

function pathOf(error: FieldError): string {
  return error.pointer?.split('/').slice(1).join('.') ?? error.parameter ?? '';
}

function sentence(text: string): string {
  const plain = text.replaceAll('`', '').trim();
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${/[.!?]$/.test(plain) ? '' : '.'}`;
}
