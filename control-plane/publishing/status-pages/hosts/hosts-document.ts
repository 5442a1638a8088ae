import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import { etagOf, type PublishedDocument } from '../serve/page-files.ts';
import { type HostRow, hostRowsSchema } from './hosts.ts';

const inflate = promisify(gunzip);

/** The path of what is on disk about hosts. No request can have it, and no page. */
export const hostsPath = '  hosts';

/** All hosts as a replica stores them, for a start without the database. */
export function hostsDocument(rows: readonly HostRow[]): PublishedDocument {
  const content = JSON.stringify(rows);
  const head = { path: hostsPath, pageId: '', contentType: 'application/json', etag: etagOf(content) };
  return { ...head, publishedAt: 0, gzip: gzipSync(content) };
}

/** Those of a document that has been checked against its hash; none if an older version wrote others. */
export async function openHosts({ gzip }: PublishedDocument): Promise<readonly HostRow[]> {
  const parsed = hostRowsSchema.safeParse(JSON.parse((await inflate(gzip)).toString()));
  return parsed.success ? parsed.data : [];
}
