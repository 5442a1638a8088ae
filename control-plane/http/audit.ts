import type { Answer, Change, Endpoint } from './endpoint.ts';

/**
 * The change that an endpoint made; null if it made none, or records it itself. The action is the endpoint's method and
 * path, the subject what the path or the answer names, and the detail the names of the fields that were given.
 */
export function changeOf(
  endpoint: Pick<Endpoint, 'method' | 'path' | 'audit'>,
  request: { params: unknown; body: unknown; projectId: string },
  answer: Answer,
): Change | null {
  const { method, path, audit } = endpoint;
  if (method === 'get' || audit === false || answer.status >= 300 || answer.unchanged === true) return null;
  const [named] = Object.values((request.params ?? {}) as Record<string, unknown>);
  const created = (answer.body as { id?: unknown } | null | undefined)?.id;
  const subject = [named, created].find(id => typeof id === 'string') ?? request.projectId;
  const detail = audit?.(request.body, answer) ?? { fields: fieldsOf(request.body) };
  return { action: `${method.toUpperCase()} ${path}`, subject: String(subject), detail };
}

function fieldsOf(body: unknown): string[] {
  return typeof body === 'object' && body !== null ? Object.keys(body) : [];
}
