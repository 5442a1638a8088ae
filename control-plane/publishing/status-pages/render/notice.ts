import { type Html, html } from '../../../platform/markup/html.ts';
import { type Locale, languageOf } from '../locale/language.ts';
import type { Notice, PageSettings } from '../publish/page-model.ts';
import { backLink, pageHeader, renderDocument } from './layout.ts';

/**
 * A small page with one message and an optional button; `page` is null where no status page was found, whose language
 * is then the visitor's.
 */
export function renderNotice(page: PageSettings | null, notice: Notice, locale: Locale = 'en'): string {
  const language = languageOf(page?.locale ?? locale);
  const message = html`<h1>${notice.title}</h1><p>${notice.text}</p>`;
  const body = html`${page !== null && pageHeader(page, language)}
<main id="main" class="notice"><div class="card">${message}${formOf(notice)}</div>
${page !== null && backLink(page, language)}</main>`;
  const title = page === null ? notice.title : `${notice.title} – ${page.name}`;
  return renderDocument({
    page,
    language,
    tone: null,
    title,
    description: notice.text,
    address: null,
    url: null,
    body,
  });
}

/** Forms post to a path of this host only; the content security policy makes browsers insist on it too. */
function formOf({ form }: Notice): Html | null {
  if (form === null || !/^\/(?![/\\])/.test(form.action)) return null;
  return html`<form method="post" action="${form.action}"><button>${form.button}</button></form>`;
}
