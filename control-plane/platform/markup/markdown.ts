import MarkdownIt, { type StateCore, type Token } from 'markdown-it';
import { allowedText } from './escape.ts';
import { type Html, html, trusted } from './html.ts';
import { flattenLargeTable } from './table-limit.ts';

/** Shared: the parser has settings and no state. */
const parser = new MarkdownIt('default', { html: false, linkify: true, breaks: true });
// Only complete addresses become links: guessing them takes quadratic time on hostile text.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false }).add('//', null);
/**
 * Matching these takes quadratic time. People write few of them: text with more than the maximum is shown unformatted.
 */
const marks = /[*_~`[\]!<|]/g;
const marksMax = 2500;
// No relative links: in emails and feeds, which show the same text, they would lead elsewhere.
parser.validateLink = address => /^(https?:\/\/|mailto:)[^\s]/i.test(address.trim());
parser.block.ruler.before('table', 'large_table', flattenLargeTable);
parser.core.ruler.push('status_page', state => {
  for (const token of state.tokens) {
    if (token.type === 'inline') token.children = imagesAsLinks(state, token.children ?? []);
    if (/^t[hd]_open$/.test(token.type)) token.attrs = null;
  }
});
parser.renderer.rules.link_open = (tokens, index) =>
  html`<a href="${tokens[index]?.attrGet('href')}" rel="nofollow noopener">`.toString();

/**
 * Safe HTML: raw HTML is shown as text, links have http, https or mailto addresses, and no resources are loaded.
 * Headings start at level one and never skip a level, whatever the author wrote. HTML that is much longer than its text
 * is no use to any reader: such a text is shown unformatted.
 */
export function parseMarkdown(text: string): string {
  if (hasManyMarks(text)) return unformatted(text);
  const tokens = parser.parse(allowedText(text), {});
  fitHeadings(tokens);
  const rendered = parser.renderer.render(tokens, parser.options, {}).trim();
  return rendered.length > 8 * text.length + 2048 ? unformatted(text) : rendered;
}

/** The same for one use: its headings start at `topHeading`, so that they fit the surrounding document. */
export function renderMarkdown(text: string, topHeading = 4): Html {
  return placeHeadings(parseMarkdown(text), topHeading);
}

/** Moves the headings of parsed Markdown below those of the document around it. */
export function placeHeadings(parsed: string, topHeading: number): Html {
  // Raw HTML is escaped, so every tag of this form is a heading that we rendered.
  return trusted(
    parsed.replace(
      /<(\/?)h([1-6])>/g,
      (_, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + topHeading - 1)}>`,
    ),
  );
}

/** Text as HTML, its Markdown as it was written. */
export function unformatted(text: string): string {
  return html`<p>${text.split('\n').map((line, index) => [index > 0 && lineBreak, line])}</p>`.toString();
}

const lineBreak = html`<br>
`;

/** The text without markup, one block a line, for summaries, emails and previews. */
export function plainText(markdown: string): string {
  if (hasManyMarks(markdown)) return allowedText(markdown);
  const lines = parser.parse(allowedText(markdown), {}).flatMap(token => {
    if (token.type === 'inline') return [textOf(token.children ?? [])];
    return token.type === 'fence' || token.type === 'code_block' ? [token.content.trim()] : [];
  });
  return lines.filter(line => line !== '').join('\n');
}

function hasManyMarks(text: string): boolean {
  return (text.match(marks)?.length ?? 0) > marksMax;
}

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map(token => (token.type === 'softbreak' || token.type === 'hardbreak' ? '\n' : token.content))
    .join('')
    .trim();
}

/** Images become links, or every reader's browser would load them from elsewhere. In a link only their text is left. */
function imagesAsLinks(state: StateCore, tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.flatMap(token => {
    if (token.type === 'link_open') depth += 1;
    if (token.type === 'link_close') depth -= 1;
    if (token.type !== 'image') return [token];
    const address = String(token.attrGet('src') ?? '');
    const label = new state.Token('text', '', 0);
    label.content = textOf(token.children ?? []) || 'image';
    if (depth > 0) return [label];
    const open = new state.Token('link_open', 'a', 1);
    open.attrSet('href', address);
    return [open, label, new state.Token('link_close', 'a', -1)];
  });
}

function fitHeadings(tokens: readonly Token[]): void {
  const outer: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const level = Number(token.tag.slice(1));
    while ((outer.at(-1) ?? 0) >= level) outer.pop();
    outer.push(level);
    const tag = `h${outer.length}`;
    token.tag = tag;
    const close = tokens[index + 2];
    if (close?.type === 'heading_close') close.tag = tag;
  }
}
