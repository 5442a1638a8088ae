import type { Notice, PageSettings } from '../page-model.ts';
import { escapeText } from './escape.ts';
import { pageHeader, pathOf, renderDocument } from './layout.ts';

/** A small page with one message and perhaps one button; without a page's settings where no page was found. */
export function renderNotice(page: PageSettings | null, notice: Notice): string {
  const header = page === null ? '' : pageHeader(page);
  const back = page === null ? '' : `<p class="back"><a href="${pathOf(page)}">Current status</a></p>`;
  const body = `${header}
<main id="main" class="notice"><div class="card"><h1 dir="auto">${escapeText(notice.title)}</h1><p dir="auto">${escapeText(notice.text)}</p>${form(notice)}</div>${back}</main>`;
  const title = page === null ? notice.title : `${notice.title} – ${page.name}`;
  return renderDocument({ page, title, description: notice.text, address: null, url: null, body });
}

/** A form leads to a path of this host or is not there: the policy holds browsers to the same. */
function form({ form }: Notice): string {
  if (form === null || !/^\/(?![/\\])/.test(form.action)) return '';
  return `<form method="post" action="${escapeText(form.action)}"><button>${escapeText(form.button)}</button></form>`;
}
