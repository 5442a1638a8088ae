import type { Sql } from '../../../platform/db/sql.ts';
import { parseLogo } from '../logo.ts';
import { renderPage } from '../render/page.ts';
import type { StatusPagePatch } from '../status-page.ts';
import { readLogo, type StatusPageRow, toSettings } from '../store.ts';
import { details, readModel } from './model.ts';
import type { PageSettings } from './page-model.ts';
import { leastModel } from './shorten.ts';
import { Texts } from './texts.ts';

const bytesMax = 2 * 1024 * 1024;

/**
 * The page as it would be with these changes, with less detail: `level` indexes its levels. It holds its logo, and
 * loads nothing. Only `Previewer` runs this: a large page takes seconds.
 */
export async function previewPage(
  sql: Sql,
  row: StatusPageRow,
  patch: StatusPagePatch,
  context: { baseUrl: string; canMail: boolean; nowMs: number; level: number },
): Promise<string> {
  const { logo: _, slug: __, canonical_domain: ___, ...settings } = patch;
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  const page = toSettings({ ...row, ...given });
  const logo = await previewLogo(sql, row, patch.logo);
  const model = await readModel(
    sql,
    { ...page, logo: null },
    { ...context, texts: new Texts(), detail: details[context.level] ?? details[0] },
  );
  const shown = { ...model, page: { ...model.page, logo } };
  const html = renderPage(shown);
  return html.length <= bytesMax ? html : renderPage(leastModel(shown));
}

async function previewLogo(
  sql: Sql,
  { id, logo_width: width, logo_height: height }: StatusPageRow,
  changed: string | null | undefined,
): Promise<PageSettings['logo']> {
  if (changed === null) return null;
  if (changed !== undefined) {
    const file = parseLogo(changed);
    return file === null ? null : { width: file.width, height: file.height, source: changed };
  }
  const stored = width === null || height === null ? null : await readLogo(sql, id);
  if (stored === null || width === null || height === null) return null;
  const source = `data:${stored.contentType};base64,${Buffer.from(stored.bytes).toString('base64')}`;
  return { width, height, source };
}
