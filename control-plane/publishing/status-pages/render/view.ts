import { type Language, languageOf } from '../locale/language.ts';
import { type Times, timesIn } from '../locale/times.ts';
import type { PageModel } from '../publish/page-model.ts';

/** A page with the language and the times in which it is rendered. Create it once per document. */
export type View = { model: PageModel; language: Language; times: Times };

export function viewOf(model: PageModel): View {
  const language = languageOf(model.page.locale);
  return { model, language, times: timesIn(model.page.timezone, language) };
}
