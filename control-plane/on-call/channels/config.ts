import type { z } from 'zod';
import { pointerTo } from '../../platform/http/bodies/unknown-fields.ts';
import { fieldProblem } from '../../platform/http/problem.ts';
import { type FieldMeta, mask, metaOf } from './types/fields.ts';
import { type ChannelType, channelTypes } from './types/registry.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The configuration as the API shows it: null stays null, every other secret is masked. */
export function maskConfig(type: ChannelType, config: Fields): Fields {
  const secrets = namesWith(type, 'isSecret');
  const masked = (name: string, value: unknown) => {
    if (!secrets.includes(name) || value === null) return value;
    if (typeof value === 'string') return mask;
    return Object.fromEntries(Object.keys(value as object).map(header => [header, mask]));
  };
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, masked(name, value)]));
}

/** Pure: pointers to the secrets that a valid configuration has in clear. */
export function secretsOfConfig(type: string, config: unknown): string[] {
  if (!Object.hasOwn(channelTypes, type) || typeof config !== 'object' || config === null) return [];
  const fields = config as Fields;
  return namesWith(type as ChannelType, 'isSecret').flatMap(name => {
    const value = fields[name];
    if (typeof value === 'string') return value === mask ? [] : [`/config/${name}`];
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, text]) =>
      text === mask ? [] : [`/config/${name}${pointerTo([key])}`],
    );
  });
}

/** The configuration with the stored secrets in place of masks. Throws `validation_failed` if one is not stored. */
export function unmaskConfig(type: ChannelType, config: Fields, stored: Fields | null): Fields {
  const moved = stored !== null && isElsewhere(type, config, stored);
  const secrets = namesWith(type, 'isSecret');
  const kept = (pointer: string, value: unknown, known: unknown) => {
    if (value !== mask) return value;
    if (moved) throw fieldProblem(`/config${pointer}`, 'not_allowed', 'must be given anew for another address');
    if (typeof known === 'string') return known;
    throw fieldProblem(`/config${pointer}`, 'not_allowed', 'there is no stored value to keep');
  };
  const unmasked = (name: string, value: unknown): unknown => {
    if (!secrets.includes(name) || value === null) return value;
    const known = stored?.[name];
    if (typeof value === 'string') return kept(`/${name}`, value, known);
    const headers = Object.entries(value as Record<string, unknown>);
    const before = new Map(Object.entries((known ?? {}) as Fields).map(([key, text]) => [key.toLowerCase(), text]));
    return Object.fromEntries(
      headers.map(([key, text]) => [key, kept(`/headers/${key}`, text, before.get(key.toLowerCase()))]),
    );
  };
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, unmasked(name, value)]));
}

/** Whether the channel would call another server: a stored secret does not follow to one that a client names. */
function isElsewhere(type: ChannelType, config: Fields, stored: Fields): boolean {
  const known = new Map(addressesOf(type, stored));
  const serverOf = (url: string) => (channelTypes[type].isBoundToUrl ? new URL(url).href : new URL(url).origin);
  return addressesOf(type, config).some(([field, url]) => {
    const before = known.get(field);
    return url !== mask && before !== undefined && serverOf(url) !== serverOf(before);
  });
}

/** The addresses that a channel calls, with their fields. */
export function addressesOf(type: ChannelType, config: Fields): [field: string, url: string][] {
  return namesWith(type, 'isAddress').flatMap(name => {
    const value = config[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
}

function namesWith(type: ChannelType, mark: keyof FieldMeta): string[] {
  return Object.entries(channelTypes[type].schema.shape).flatMap(([name, schema]) =>
    metaOf(schema as z.ZodType)[mark] === undefined ? [] : [name],
  );
}
