import type { SignalFacts } from '#shared/checks/facts.ts';
import { isUuid } from '../monitors/kinds/heartbeat.ts';

/** What an address names: a monitor by its secret or alias, or by its slug in the project that has a key. */
export type Named =
  | { by: 'secret'; secret: string }
  | { by: 'alias'; alias: string }
  | { by: 'slug'; key: string; slug: string };

/** What the path of a request says. */
export type SignalAddress = { named: Named; signal: Pick<SignalFacts, 'type' | 'exit_code' | 'source'> };

const segment = /^[A-Za-z0-9_-]{1,100}$/;
const endings = new Set(['start', 'fail', 'log']);

/** Pure: null if the path is no address of signals. */
export function addressOf(path: string): SignalAddress | null {
  const [first = '', ...rest] = path.slice(1).split('/');
  if (!rest.every(part => segment.test(part))) return null;
  if (isUuid(first)) return ended({ by: 'alias', alias: first.toLowerCase() }, rest, 'healthchecks');
  if (first === 'api' && rest.length === 2 && rest[0] === 'push')
    return ended({ by: 'alias', alias: rest[1] ?? '' }, [], 'kuma');
  if (first !== 'hb' && first !== 'ping') return null;
  const source = first === 'hb' ? 'hb' : 'healthchecks';
  const [name = '', ...others] = rest;
  if (name === '') return null;
  if (first === 'ping' && isUuid(name)) return ended({ by: 'alias', alias: name.toLowerCase() }, others, source);
  if (first === 'hb' && name.startsWith('uph_')) return ended({ by: 'secret', secret: name }, others, source);
  const [slug, ...after] = others;
  return slug === undefined ? null : ended({ by: 'slug', key: name, slug }, after, source);
}

function ended(named: Named, rest: readonly string[], source: SignalFacts['source']): SignalAddress | null {
  const [ending, more] = rest;
  if (more !== undefined) return null;
  if (ending === undefined) return { named, signal: { type: 'success', exit_code: null, source } };
  if (endings.has(ending)) return { named, signal: { type: ending as 'start', exit_code: null, source } };
  if (!/^\d{1,3}$/.test(ending) || Number(ending) > 255) return null;
  const code = Number(ending);
  return { named, signal: { type: code === 0 ? 'success' : 'fail', exit_code: code, source } };
}
