import { integerLiteral } from '../db/compose-sql.ts';
import { type Fragment, fragment } from '../db/sql.ts';
import { markupVersion, type RenderedText } from './rendered-text.ts';

/** A text of a row that was rendered. `hash` is the md5 of its Markdown. */
export type RenderedRow = { id: string; hash: string; rendered: RenderedText };

/** What `rendered_as` is where the stored HTML was made from this text by this version. */
export function renderedAs(body: Fragment): Fragment {
  return fragment`('${integerLiteral(markupVersion)} ' || md5(${body}))`;
}

/** Rendered rows as a table `fresh`, to update others from. */
export function columnsOf(texts: readonly RenderedRow[]): Fragment {
  return fragment`
    unnest(
      ${texts.map(text => text.id)}::text[],
      ${texts.map(text => text.hash)}::text[],
      ${texts.map(text => text.rendered.html)}::text[],
      ${texts.map(text => text.rendered.excerpt)}::text[]
    ) as fresh (id, hash, html, excerpt)`;
}
