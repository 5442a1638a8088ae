import { fieldCodes } from '#control-plane/platform/http/problem.ts';
import { problems } from '#control-plane/platform/http/problem-codes.ts';
import type { Reply } from './control-plane.ts';

/** Why the text is not a problem of the contract's shape for that status; null when it is. */
export function problemFault(status: number, contentType: string, text: string): string | null {
  if (!/^application\/(problem\+)?json/.test(contentType)) return `the type is ${contentType}`;
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return 'the body is not JSON';
  }
  const code = String(body.code);
  if (!Object.hasOwn(problems, code)) return `the code ${code} is not in the closed list`;
  if (problems[code as keyof typeof problems][0] !== status || body.status !== status)
    return `${code} does not belong to the status ${status}`;
  if (body.type !== `http://localhost:8080/problems/${code}`) return `the type is ${body.type}`;
  for (const name of ['title', 'detail', 'instance'])
    if (typeof body[name] !== 'string') return `${name} is not a string`;
  if (!/^[A-Za-z0-9_-]{8,128}$/.test(String(body.request_id))) return `the request id is ${body.request_id}`;
  if (/node_modules|\.ts:\d|select |insert |at \w+ \(/.test(text)) return 'it reveals internals';
  return errorsFault(body.errors);
}

/** The field errors of an answer as `pointer code`, sorted. */
export function faultsOf(reply: Reply): string[] {
  const errors = (reply.body?.errors ?? []) as { pointer?: string; parameter?: string; code: string }[];
  return errors.map(error => `${error.pointer ?? error.parameter} ${error.code}`).sort();
}

function errorsFault(errors: unknown): string | null {
  if (errors === undefined) return null;
  if (!Array.isArray(errors) || errors.length === 0) return 'errors is not a list of at least one';
  for (const error of errors as Record<string, unknown>[]) {
    if (!fieldCodes.some(code => code === error.code)) return `${error.code} is not a field code`;
    if (typeof error.detail !== 'string') return 'a field error has no detail';
    if (typeof error.pointer !== 'string' && typeof error.parameter !== 'string') return 'a field error names no field';
  }
  return null;
}
