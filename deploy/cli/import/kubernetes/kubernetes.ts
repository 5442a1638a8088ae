import { Draft } from '../draft/draft.ts';
import { labelsFrom } from '../draft/labels.ts';
import { httpTarget } from '../draft/target.ts';
import type { Thing } from '../draft/thing.ts';
import { intervalFor } from '../draft/timing.ts';
import { jsonOf, lineOf, listOf, numberOf, objectOf, objectsOf, textOf } from '../draft/values.ts';
import { type Choices, type Imported, type Item, SourceError, type SourceFile } from '../imported.ts';

const prefix = 'upquorum.io/';
const kinds = new Set(['Ingress', 'HTTPRoute']);

/** A host and path that an object serves. */
type Address = { host: string; path: string; isSecure: boolean };

/**
 * Reads ingresses and routes as `kubectl get ingress,httproute -A -o json` prints them: those that are marked become
 * monitors. Throws `SourceError`.
 */
export function importKubernetes(file: SourceFile, choices: Choices): Imported {
  const root = objectOf(jsonOf(file.text));
  const items = root.kind === 'List' ? objectsOf(root.items) : [root];
  if (!items.some(({ kind }) => kinds.has(textOf(kind))) && (root.kind !== 'List' || items.length > 0))
    throw new SourceError(`${file.path} has no Ingress and no HTTPRoute: is it JSON of kubectl?`);
  const draft = new Draft(choices);
  for (const item of items) if (kinds.has(textOf(item.kind))) putObject(draft, item);
  return draft.finish('kubernetes', null);
}

function putObject(draft: Draft, item: Item): void {
  const metadata = objectOf(item.metadata);
  const annotations = objectOf(metadata.annotations);
  const [namespace, name] = [textOf(metadata.namespace) || 'default', textOf(metadata.name)];
  const thing = draft.thing(textOf(item.kind), `${namespace}/${name}`, textOf(metadata.uid) || `${namespace}/${name}`);
  if (textOf(annotations[`${prefix}monitor`]) !== 'true')
    return thing.leftOut(`it has no annotation ${prefix}monitor: "true"`);
  const addresses = addressesOf(thing, item, annotations);
  const settings = settingsOf(thing, namespace, annotations);
  const keys = addresses.flatMap(({ host, path, isSecure }): string[] => {
    const target = httpTarget(`${isSecure ? 'https' : 'http'}://${host}${path}`);
    if (typeof target === 'string') {
      thing.dropped('host', `${host}${path}`, target);
      return [];
    }
    const key = draft.keyFor('monitors', `${namespace} ${name} ${host} ${path}`);
    const given = lineOf(annotations[`${prefix}name`], 150, '');
    const shown =
      given === '' ? `${host}${path === '/' ? '' : path}` : addresses.length > 1 ? `${given} ${host}${path}` : given;
    draft.put('monitors', key, { name: lineOf(shown, 200, host), url: target.url, ...settings });
    return [key];
  });
  if (keys.length === 0) return thing.leftOut('it has no host that can be checked from outside');
  thing.carried(keys[0] ?? null);
}

/** What annotations say of all monitors of an object. */
function settingsOf(thing: Thing, namespace: string, annotations: Item): Item {
  const labels = textOf(annotations[`${prefix}labels`])
    .split(',')
    .map(pair => pair.split('=').map(part => part.trim()))
    .flatMap(([key = '', value = 'true']): [string, string][] => (key === '' ? [] : [[key, value]]));
  const seconds = numberOf(annotations[`${prefix}interval-seconds`]) ?? 60;
  const status = textOf(annotations[`${prefix}status`]);
  const codes = status.split(',').map(code => code.trim());
  const isValid =
    codes.length <= 100 && codes.every(code => /^[1-5]\d\d(?:-[1-5]\d\d)?$/.test(code) && isAscending(code));
  if (status !== '' && !isValid)
    thing.dropped('status', status.slice(0, 200), 'it has what is no status code or range');
  const value = codes.map(code => (code.includes('-') ? code : Number(code)));
  return {
    interval_seconds: intervalFor(thing, 'http', seconds),
    labels: labelsFrom(thing, [['namespace', namespace], ...labels]),
    ...(status === '' || !isValid ? {} : { assertions: [{ type: 'status', operator: 'in', value }] }),
  };
}

function isAscending(range: string): boolean {
  const [first = '', last = first] = range.split('-');
  return first <= last;
}

/** Each host with each path, or with the one that an annotation names. */
function addressesOf(thing: Thing, item: Item, annotations: Item): Address[] {
  const spec = objectOf(item.spec);
  const scheme = textOf(annotations[`${prefix}scheme`]);
  const chosen = textOf(annotations[`${prefix}path`]);
  const secure = new Set(objectsOf(spec.tls).flatMap(({ hosts }) => listOf(hosts).map(textOf)));
  const pairs =
    item.kind === 'Ingress'
      ? objectsOf(spec.rules).flatMap(({ host, http }) => {
          const paths = objectsOf(objectOf(http).paths).map(({ path }) => textOf(path));
          return (paths.length === 0 ? ['/'] : paths).map((path): [string, string] => [textOf(host), path]);
        })
      : routePairs(spec);
  const seen = new Set<string>();
  return pairs.flatMap(([host, path]): Address[] => {
    const shown = chosen === '' ? plainPath(path) : chosen;
    const address = { host, path: shown.startsWith('/') ? shown : `/${shown}` };
    const key = `${host} ${address.path}`;
    if (host === '' || host.includes('*')) {
      thing.dropped('host', host || null, 'a monitor needs a whole host name');
      return [];
    }
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ ...address, isSecure: scheme === '' ? secure.has(host) : scheme === 'https' }];
  });
}

function routePairs(spec: Item): [string, string][] {
  const paths = objectsOf(spec.rules).flatMap(({ matches }) =>
    objectsOf(matches).map(({ path }) => {
      const { type, value } = objectOf(path);
      return type === 'RegularExpression' ? '/' : textOf(value);
    }),
  );
  return listOf(spec.hostnames).flatMap(host =>
    (paths.length === 0 ? ['/'] : paths).map((path): [string, string] => [textOf(host), path]),
  );
}

/** Paths of ingresses may be patterns: what stands before the first of them. */
function plainPath(path: string): string {
  const plain = path.replace(/[(*$^[\\?].*$/s, '');
  return plain === '' ? '/' : plain;
}
