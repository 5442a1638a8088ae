import type { Capability } from '#shared/capabilities.ts';
import type { ValidFields } from '../../../platform/http/bodies/parse-body.ts';
import type { MonitorSettings } from '../monitor.ts';
import { mapTexts, type Place, placesOf } from './places.ts';
import { referencesIn, replaceReferences } from './references.ts';

// References stand for secrets in fields that were written since there are secrets. In those that were stored before,
// and that nobody has written since, they are text.

type Settings = ValidFields<MonitorSettings>;

/** Values of secrets by name. */
export type SecretValues = ReadonlyMap<string, string>;

/** The places in these fields that name secrets, or try to. */
export function referringPlaces(settings: Settings, fields: readonly string[]): Place[] {
  if (fields.length === 0) return [];
  return placesOf(settings).filter(({ path, text }) => {
    if (!fields.includes(String(path[0]))) return false;
    const { names, malformed } = referencesIn(text);
    return malformed || names.length > 0;
  });
}

/** Pure: those of the fields in which a text names a secret, in alphabetical order. */
export function secretFieldsOf(settings: Settings, fields: Iterable<string>): string[] {
  const named = referringPlaces(settings, [...fields]).map(({ path }) => String(path[0]));
  return [...new Set(named)].sort();
}

/** Pure: the names of secrets in these fields, each once. */
export function namesOf(settings: Settings, fields: readonly string[]): string[] {
  return [...new Set(referringPlaces(settings, fields).flatMap(({ text }) => referencesIn(text).names))].sort();
}

/** Pure: settings as they are sent. Names without a value stay. */
export function withValues<Of extends Settings>(settings: Of, fields: readonly string[], values: SecretValues): Of {
  if (fields.length === 0) return settings;
  return mapTexts(settings, (text, { path }) =>
    fields.includes(String(path[0])) ? replaceReferences(text, name => values.get(name)) : text,
  );
}

/** Pure: what secrets need of gateways and agents. */
export function secretNeeds(settings: Settings, fields: readonly string[]): Capability[] {
  const places = referringPlaces(settings, fields);
  if (places.length === 0) return [];
  return places.every(({ isHeader }) => isHeader) ? ['gateway.3'] : ['gateway.3', 'secrets.1'];
}
