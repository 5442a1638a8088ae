import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { DocumentRow } from '../publish/document-store.ts';
import { gatePath } from '../serve/document-names.ts';
import { etagOf } from '../serve/page-files.ts';
import { accessTypes } from './access.ts';

const gateSchema = z.object({
  pageId: z.string(),
  type: z.enum(accessTypes),
  version: z.int(),
  ranges: z.array(z.string()),
  password: z.object({ salt: z.string(), hash: z.string() }).optional(),
  /** SHA-256 of the link's secret, in hex. */
  link: z.string().optional(),
  /** The key with which feed readers come in. */
  key: z.string().optional(),
  /** The members of the project by their ids: since when their cookies count. */
  people: z.record(z.string(), z.number()).optional(),
  /** Slugs that the page had. */
  formerSlugs: z.array(z.string()),
});

/** Who may see a private page: fronts decide by it alone, so that they need no database. */
export type Gate = z.infer<typeof gateSchema>;

/** The document in which a gate is published, sealed for its page. */
export function gateDocument(gate: Gate, slug: string, keyring: Keyring): DocumentRow {
  const content = keyring.seal(JSON.stringify(gate), contextOf(gate.pageId));
  return {
    path: gatePath(slug),
    incident_id: null,
    source: '',
    content_type: 'application/octet-stream',
    etag: etagOf(content),
    body_gzip: gzipSync(content),
  };
}

/** Null if it cannot be opened: then nobody is let in. */
export function openGate(gzip: Uint8Array, pageId: string, keyring: Keyring): Gate | null {
  try {
    const gate = gateSchema.parse(JSON.parse(keyring.open(gunzipSync(gzip), contextOf(pageId))));
    return gate.pageId === pageId ? gate : null;
  } catch {
    return null;
  }
}

function contextOf(pageId: string): string {
  return `page-gate ${pageId}`;
}
