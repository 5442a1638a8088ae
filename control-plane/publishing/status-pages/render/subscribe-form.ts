import { type Html, html } from '../../../platform/markup/html.ts';
import { fillHtml } from '../locale/language.ts';
import type { PageComponent } from '../publish/page-model.ts';
import { groupsOf } from './component-list.ts';
import { pathOf } from './layout.ts';
import type { View } from './view.ts';

/** Subscribes to the whole page or to some of its components; no box ticked means all. Without email only feeds. */
export function renderSubscribeForm(view: View): Html {
  const path = pathOf(view.model.page);
  const words = view.language.words.subscribe;
  const holes = {
    rss: html`<a href="${path}/feed.rss">RSS</a>`,
    atom: html`<a href="${path}/feed.atom">Atom</a>`,
  };
  if (view.model.canMail === false)
    return html`<section class="card subscribe" id="subscribe" aria-labelledby="subscribe-title">
<h2 id="subscribe-title">${view.language.words.frame.subscribe}</h2>
<p class="note">${fillHtml(words.feedsOnly, holes)}</p></section>`;
  const feeds = fillHtml(words.feeds, holes);
  return html`<section class="card subscribe" id="subscribe" aria-labelledby="subscribe-title">
<h2 id="subscribe-title">${words.title}</h2>
<form method="post" action="${path}/subscribe"><label for="email">${words.email}</label>
<div class="field"><input id="email" name="email" type="email" autocomplete="email" maxlength="254"
 required aria-describedby="email-note"><button>${words.button}</button></div>
<p class="note" id="email-note">${words.note}</p>
${componentChoice(view)}</form>
<p class="note">${feeds}</p></section>`;
}

function componentChoice({ model, language }: View): Html | null {
  if (model.components.length < 2) return null;
  const words = language.words.subscribe;
  const sets = groupsOf(model.components).map(({ name, members }) => {
    const title = html`<legend><bdi>${name ?? words.components}</bdi></legend>`;
    return html`<fieldset>${title}${members.map(componentBox)}</fieldset>`;
  });
  return html`<details class="choice"><summary>${words.some}</summary><div class="sets">${sets}</div></details>`;
}

function componentBox({ id, name }: PageComponent): Html {
  const box = html`<input type="checkbox" name="component_ids" value="${id}">`;
  return html`<label>${box}<bdi>${name}</bdi></label>`;
}
