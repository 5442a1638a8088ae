import type { PageModel } from '../page-model.ts';
import { groupsOf } from './component-list.ts';
import { escapeText } from './escape.ts';
import { pathOf } from './layout.ts';

/** Asks for mails of the whole page, or of some components; no box ticked means all. */
export function renderSubscribeForm(model: PageModel): string {
  const path = pathOf(model.page);
  return `<section class="card subscribe" id="subscribe" aria-labelledby="subscribe-title"><h2 id="subscribe-title">Get updates by mail</h2>
<form method="post" action="${path}/subscribe"><label for="email">Email address</label>
<div class="field"><input id="email" name="email" type="email" autocomplete="email" maxlength="254" required aria-describedby="email-note"><button>Subscribe</button></div>
<p class="note" id="email-note">You get a mail to confirm first. Each one after it can be ended with one click.</p>${choice(model)}</form>
<p class="note">Or follow by <a href="${path}/feed.rss">RSS</a> or <a href="${path}/feed.atom">Atom</a>.</p></section>`;
}

function choice(model: PageModel): string {
  if (model.components.length < 2) return '';
  const sets = groupsOf(model.components).map(({ name, members }) => {
    const boxes = members.map(
      component =>
        `<label><input type="checkbox" name="component_ids" value="${escapeText(component.id)}"><span dir="auto">${escapeText(component.name)}</span></label>`,
    );
    return `<fieldset><legend dir="auto">${name === null ? 'Components' : escapeText(name)}</legend>${boxes.join('')}</fieldset>`;
  });
  return `<details class="choice"><summary>Only for some components</summary><div class="sets">${sets.join('')}</div></details>`;
}
