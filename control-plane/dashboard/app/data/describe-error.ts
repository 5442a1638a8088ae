import { ApiProblem, type FieldError } from './api.ts';

/** An error as a sentence. */
export function describeError(problem: Error): string {
  if (problem instanceof ApiProblem) return sentence(problem.message);
  return problem.name === 'TimeoutError' ? 'The server did not respond in time.' : 'The server cannot be reached.';
}

/** What the reader can do about an error; null if the sentence itself says it. */
export function remedyOf(problem: Error): string | null {
  if (!(problem instanceof ApiProblem)) return 'Check the connection, then try again.';
  if (problem.status === 412) return 'Reload to see the current version, then make your change again.';
  if (problem.status === 429) return 'Wait a moment, then try again.';
  if (problem.status === 403) return 'Sign in with a token that has this scope.';
  return problem.status >= 500 ? 'Try again. If it stays, quote the request ID to whoever runs this server.' : null;
}

/** The error of one field as a sentence, found by the first step of its pointer; null if the field is fine. */
export function fieldError(problem: Error | null, field: string): string | null {
  if (!(problem instanceof ApiProblem)) return null;
  const error = problem.errors.find(candidate => fieldOf(candidate) === field);
  return error === undefined ? null : sentence(error.detail);
}

/** The errors of fields that do not show them themselves, as sentences. */
export function otherErrors(problem: Error, fields: readonly string[]): string[] {
  if (!(problem instanceof ApiProblem)) return [];
  return problem.errors
    .filter(error => !fields.includes(fieldOf(error)))
    .map(error => sentence(`${pathOf(error)} ${error.detail}`.trim()));
}

/** The name of a field from its pointer or parameter: `/regions/0` is `regions`. */
function fieldOf(error: FieldError): string {
  return error.pointer?.split('/')[1] ?? error.parameter ?? '';
}

function pathOf(error: FieldError): string {
  return error.pointer?.split('/').slice(1).join('.') ?? error.parameter ?? '';
}

function sentence(text: string): string {
  const plain = text.replaceAll('`', '').trim();
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${/[.!?]$/.test(plain) ? '' : '.'}`;
}
