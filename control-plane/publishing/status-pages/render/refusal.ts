import { type Html, html } from '../../../platform/markup/html.ts';
import type { Locale } from '../locale/language.ts';
import { fill, type Language, languageOf } from '../locale/language.ts';
import { renderDocument } from './layout.ts';

/** Why a visitor is not let in, and what they can do. Nothing in it says which page this is. */
export type Refusal =
  | { type: 'password'; action: string; returnTo: string; isWrong: boolean }
  | { type: 'members'; url: string }
  | { type: 'ip'; address: string }
  | { type: 'too_many' }
  | { type: 'unavailable' };

/** The short page for whoever is not let in, in the visitor's language. */
export function renderRefusal(refusal: Refusal, locale: Locale): string {
  const language = languageOf(locale);
  const { title, text } = wordsOf(refusal, language);
  const body = html`<main id="main" class="notice"><div class="card"><h1>${title}</h1><p>${text}</p>
${wayIn(refusal, language)}</div></main>`;
  const nowhere = { page: null, tone: null, address: null, url: null };
  return renderDocument({ ...nowhere, language, title, description: text, body });
}

function wordsOf(refusal: Refusal, { words }: Language): { title: string; text: string } {
  const { access, notice } = words;
  switch (refusal.type) {
    case 'password':
      return refusal.isWrong ? access.wrongPassword : access.password;
    case 'members':
      return access.members;
    case 'ip':
      return { title: access.ip.title, text: fill(access.ip.text, { address: refusal.address }) };
    case 'too_many':
      return notice.tooMany;
    case 'unavailable':
      return access.unavailable;
    default:
      return refusal satisfies never;
  }
}

function wayIn(refusal: Refusal, language: Language): Html | null {
  if (refusal.type === 'password') return passwordForm(refusal, language);
  return refusal.type === 'members' ? signInButton(refusal.url, language) : null;
}

function signInButton(url: string, { words }: Language): Html {
  return html`<p><a class="button" href="${url}">${words.access.members.button}</a></p>`;
}

function passwordForm({ action, returnTo }: Extract<Refusal, { type: 'password' }>, { words }: Language): Html {
  const { label, button } = words.access.form;
  return html`<form class="access" method="post" action="${action}"><label for="password">${label}</label>
<div class="field"><input id="password" name="password" type="password" autocomplete="current-password" maxlength="200"
 required autofocus><input type="hidden" name="return_to" value="${returnTo}"><button>${button}</button></div></form>`;
}
