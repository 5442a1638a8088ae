import type { Fields } from '../../platform/audit/entry.ts';
import { sealed } from '../../platform/audit/sealed.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { openConfig } from './secrets/sealed.ts';
import type { ChannelRow } from './store.ts';
import { mask } from './types/fields.ts';
import { viewChannel } from './view.ts';

/** A channel for the audit: what a client sets. What the API hides of its configuration is shown as a secret. */
export function auditChannel(row: ChannelRow, keyring: Keyring): Fields & { name: string } {
  const { name, type, detail, enabled, config } = viewChannel(row, keyring);
  return { name, type, detail, enabled, config: sealHidden(config, openConfig(row, keyring)) };
}

function sealHidden(shown: unknown, open: unknown): unknown {
  if (shown === mask) return sealed(typeof open === 'string' ? open : JSON.stringify(open));
  if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) return shown;
  const values = (open ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, sealHidden(value, values[name])]));
}
