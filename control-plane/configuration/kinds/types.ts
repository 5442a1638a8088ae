import type { ConfigType } from '#shared/config-types.ts';
import { secretNamePattern } from '../../monitoring/secrets/secret.ts';

/** Types whose items have their name as their key, and what such a name is like. */
export const namePatterns: Partial<Record<ConfigType, RegExp>> = { secrets: secretNamePattern };
