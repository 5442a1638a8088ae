import { secretNamePattern } from '../../monitoring/secrets/secret.ts';

/** The types of resources in documents, in the order in which they are written; deletes run backwards. */
export const configTypes = [
  'secrets',
  'channels',
  'flows',
  'monitors',
  'status_pages',
  'components',
  'routes',
  'maintenances',
  'reports',
] as const;
export type ConfigType = (typeof configTypes)[number];

/** Types whose items have their name as their key, and what such a name is like. */
export const namePatterns: Partial<Record<ConfigType, RegExp>> = { secrets: secretNamePattern };
