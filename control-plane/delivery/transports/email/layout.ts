import { pageTokens } from '../../../platform/design/tokens.ts';
import type { Tone } from '../../../platform/design/tones.ts';
import { type Html, html, trusted } from '../../../platform/markup/html.ts';
import type { Language } from '../../../publishing/status-pages/locale/language.ts';

/** The parts of an email's HTML, from top to bottom. */
export type EmailParts = {
  language: Language;
  title: string;
  /** Shown beside the subject in lists of emails. */
  preheader: string;
  /** The name above the title, which links to the page. */
  page: { name: string; url: string };
  tone: Tone;
  /** A word on the tone's tint; null for none. */
  badge: string | null;
  facts: readonly string[];
  body: Html;
  button: { text: string; url: string };
  footer: Html;
};

const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const mono = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Courier New',monospace";
const light = (name: string) => pageTokens[name]?.light ?? '';
const dark = (name: string) => pageTokens[name]?.dark ?? '';

/**
 * A framed email that reads well from 320 pixels on, in clients that know style sheets and in those that know only
 * attributes: what matters is inline, what changes with the theme or the width is in the style sheet as well.
 */
export function renderEmail(parts: EmailParts): string {
  const { language, title, preheader, page, tone, badge, facts, body, button, footer } = parts;
  const cell = (style: string, content: Html) => html`<tr><td class="cell" style="${style}">${content}</td></tr>`;
  const presentation = trusted('role="presentation" cellpadding="0" cellspacing="0" border="0"');
  const head = html`<p style="margin:0 0 4px;font-size:14px"><a class="muted" href="${page.url}" \
style="color:${light('muted')};text-decoration:none">${page.name}</a></p>
<h1 style="margin:0 0 12px;font-size:22px;line-height:1.3;overflow-wrap:anywhere">${title}</h1>
${badge !== null && badgeOf(tone, badge)}${facts.map(fact => factOf(fact))}`;
  const action = html`<a class="button" href="${button.url}" style="display:inline-block;padding:10px 18px;\
border-radius:6px;background:${light('button')};color:${light('on-button')};font-weight:600;\
text-decoration:none">${button.text}</a>`;
  const frame = html`<table ${presentation} width="100%" class="frame" style="max-width:600px;margin:0 auto;\
border-collapse:separate;background:${light('surface')};border:1px solid ${light('line')};border-radius:8px">
<tr><td height="6" class="band" style="height:6px;line-height:6px;font-size:0;background:${light(`${tone}-fill`)};\
border-radius:7px 7px 0 0">&nbsp;</td></tr>
${cell('padding:24px 28px 0', head)}
${cell('padding:16px 28px 0;overflow-wrap:anywhere', html`<div class="body">${body}</div>`)}
${cell('padding:8px 28px 28px', action)}
</table>`;
  return html`<!doctype html>
<html lang="${language.locale}" dir="${language.direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${title}</title><style>${styleSheet(tone)}</style></head>
<body class="ground" style="margin:0;padding:24px 12px;background:${light('page')};color:${light('text')};\
${trusted(font)};font-size:16px;line-height:1.5">
<div style="display:none;max-height:0;overflow:hidden">${preheader}${trusted('&#8199;&#847; '.repeat(40))}</div>
${frame}
<table ${presentation} width="100%" style="max-width:600px;margin:0 auto"><tr><td class="cell muted" \
style="padding:16px 28px;font-size:13px;color:${light('muted')}">${footer}</td></tr></table>
</body></html>`.toString();
}

function badgeOf(tone: Tone, text: string): Html {
  return html`<p style="margin:0 0 12px"><span class="badge" style="display:inline-block;padding:2px 10px;\
border-radius:6px;font-size:14px;font-weight:600;background:${light(`${tone}-tint`)};\
color:${light(`${tone}-ink`)}">${text}</span></p>
`;
}

function factOf(text: string): Html {
  return html`<p class="muted" style="margin:0;font-size:14px;color:${light('muted')}">${text}</p>
`;
}

/** A link in the colour of links. */
export function emailLink(url: string, text: string): Html {
  return html`<a class="link" href="${url}" style="color:${light('link')}">${text}</a>`;
}

const border = `border:1px solid ${light('control')}`;
const box = `padding:12px;border-radius:6px;background:${light('none-tint')}`;
const inlineStyles: readonly (readonly [tag: string, style: string])[] = [
  ['pre', `margin:0 0 16px;${box};${mono};font-size:13px;white-space:pre-wrap;overflow-wrap:anywhere`],
  ['code', `${mono};font-size:.9em;overflow-wrap:anywhere`],
  ['table', 'border-collapse:collapse;margin:0 0 16px'],
  ['th', `${border};padding:4px 10px;text-align:left`],
  ['td', `${border};padding:4px 10px`],
  ['blockquote', `margin:0 0 16px;padding:0 0 0 12px;border-left:3px solid ${light('control')}`],
  ['p', 'margin:0 0 16px'],
];

/** Rendered Markdown with its styles inline, since some clients drop the style sheet. Its text is escaped: no tags. */
export function styleMarkdown(markdown: Html): Html {
  const text = inlineStyles.reduce(
    (styled, [tag, style]) => styled.replaceAll(`<${tag}>`, html`<${trusted(tag)} style="${style}">`.toString()),
    markdown.toString(),
  );
  return trusted(text);
}

/** Clients that invert colours by themselves leave alone what names its colours for dark mode. */
function styleSheet(tone: Tone): Html {
  const rules = [
    `.ground{background:${dark('page')} !important;color:${dark('text')} !important}`,
    `.frame{background:${dark('surface')} !important;border-color:${dark('line')} !important}`,
    `.band{background:${dark(`${tone}-fill`)} !important}`,
    `.badge{background:${dark(`${tone}-tint`)} !important;color:${dark(`${tone}-ink`)} !important}`,
    `.button{background:${dark('button')} !important;color:${dark('on-button')} !important}`,
    `.muted{color:${dark('muted')} !important}`,
    `.link,.body a{color:${dark('link')} !important}`,
    `.body pre{background:${dark('none-tint')} !important}`,
    `.body th,.body td,.body blockquote{border-color:${dark('control')} !important}`,
  ];
  return trusted(
    `.body a{color:${light('link')}}@media(max-width:480px){.cell{padding-left:18px !important;` +
      `padding-right:18px !important}}@media(prefers-color-scheme:dark){${rules.join('')}}`,
  );
}
