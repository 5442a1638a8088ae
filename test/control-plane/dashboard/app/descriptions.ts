import type { Content, Description, Listener } from '#control-plane/dashboard/app/dom/element.ts';
import type { ViewContext } from '#control-plane/dashboard/app/view.ts';

// Reads descriptions as a browser would show them, without a browser.

/** Every element in the content, in document order. */
export function elementsIn(content: Content): Description[] {
  if (content === null || content === undefined || content === false || typeof content !== 'object') return [];
  if (isList(content)) return content.flatMap(elementsIn);
  return [content, ...content.children.flatMap(elementsIn)];
}

export function textOf(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (typeof content !== 'object') return String(content);
  return isList(content) ? content.map(textOf).join('') : content.children.map(textOf).join('');
}

/** The texts of all elements with the tag. */
export function textsOf(content: Content, tag: string): string[] {
  return elementsIn(content)
    .filter(element => element.tag === tag)
    .map(textOf);
}

/** The first element with the tag and, if given, the text; throws if there is none. */
export function find(content: Content, tag: string, text?: string): Description {
  const found = elementsIn(content).find(
    element => element.tag === tag && (text === undefined || textOf(element) === text),
  );
  if (found === undefined) throw new Error(`no ${tag} ${text ?? ''} in: ${textOf(content)}`);
  return found;
}

/** Calls an element's handler as the browser would. */
export function dispatch(element: Description, name: string, event: Partial<Record<keyof Event, unknown>> = {}): void {
  const handler = element.attributes[`on${name}`];
  if (typeof handler !== 'function') throw new Error(`${element.tag} has no handler for ${name}`);
  (handler as Listener)(event as unknown as Event);
}

/**
 * A context whose API answers from a table: `METHOD path` → body, a function of query or body that returns it, or the
 * error to throw. Requests, announcements and visited addresses are recorded.
 */
export function fakeContext(
  answers: Readonly<Record<string, unknown>>,
  options: { scopes?: readonly string[]; nowMs?: number } = {},
) {
  const calls: string[] = [];
  const announcements: string[] = [];
  const addresses: string[] = [];
  const answer = async <Answer>(method: string, path: string, details?: unknown): Promise<Answer> => {
    calls.push(`${method} ${path}${details === undefined ? '' : ` ${JSON.stringify(details)}`}`);
    const found = answers[`${method} ${path}`];
    if (found === undefined) throw new Error(`unexpected request: ${method} ${path}`);
    if (found instanceof Error) throw found;
    return structuredClone(typeof found === 'function' ? found(details) : found) as Answer;
  };
  const context: ViewContext = {
    api: {
      get: (path, query) => answer('GET', path, query),
      all: async <Item>(path: string, query: object | undefined) =>
        (await answer<{ data: Item[] }>('GET', path, query)).data,
      send: (method, path, body) => answer(method, path, body),
      nowMs: () => options.nowMs ?? 0,
    },
    can: scope => options.scopes === undefined || options.scopes.includes(scope),
    redraw: () => undefined,
    refresh: async () => undefined,
    announce: text => announcements.push(text),
    go: address => addresses.push(address),
  };
  return { context, calls, announcements, addresses };
}

function isList(content: Description | readonly Content[]): content is readonly Content[] {
  return Array.isArray(content);
}
