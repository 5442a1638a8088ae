import type { Endpoint } from '../http/endpoint/endpoint.ts';

type Named = Pick<Endpoint, 'method' | 'path' | 'operation'>;

const verbs = { get: 'get', post: 'create', patch: 'update', put: 'set', delete: 'delete' } as const;

/**
 * The name of an operation, such as `createMonitor`, `listMonitorChecks` or `pauseMonitor`: what client libraries call
 * it. It follows from method and path; an endpoint for which that gives no good name has one of its own. `isList` tells
 * whether it returns a list.
 */
export function operationName({ method, path, operation }: Named, isList: boolean): string {
  if (operation !== undefined) return operation;
  const segments = path.split('/').slice(2);
  const nouns = segments.filter(segment => !segment.startsWith('{'));
  const last = pascal(nouns.at(-1) ?? '');
  const owners = nouns
    .slice(0, -1)
    .map(noun => singular(pascal(noun)))
    .join('');
  const isItem = segments.at(-1)?.startsWith('{') === true;
  if (isItem) return `${verbs[method]}${owners}${singular(last)}`;
  if (isList) return `list${owners}${last}`;
  if (method !== 'post') return `${verbs[method]}${owners}${last}`;
  // What is no plural is what to do: `POST /v0/monitors/{id}/pause`, `POST /v0/webhooks/{id}/rotate-secret`.
  const [verb = '', ...object] = (nouns.at(-1) ?? '').split('-');
  if (last === singular(last)) return `${verb}${owners}${pascal(object.join('-'))}`;
  return `create${owners}${singular(last)}`;
}

function pascal(segment: string): string {
  return segment.replace(/(?:^|[^a-zA-Z0-9])([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  return name.endsWith('s') && !name.endsWith('us') && !name.endsWith('ss') ? name.slice(0, -1) : name;
}
