import type { MonitorKind } from '#shared/checks/vocabulary.ts';
import { kindOfUrl } from './kinds.ts';

type Fields = { readonly kind?: MonitorKind | undefined; readonly url?: string | undefined };

/** Pure: valid fields with the kind that a URL says which is wrong itself, so that its rules hold for the others. */
export function withSentKind<Valid extends Fields>(fields: Valid, sent: unknown): Valid {
  const url = (sent as { url?: unknown } | null)?.url;
  if (Object.hasOwn(fields, 'kind') || fields.url !== undefined || typeof url !== 'string') return fields;
  const kind = kindOfUrl(url);
  return kind === null ? fields : { ...fields, kind };
}
