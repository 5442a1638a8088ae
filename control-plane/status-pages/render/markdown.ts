import MarkdownIt, { type StateCore, type Token } from 'markdown-it';
import { allowedText, escapeText } from './escape.ts';

/** The parser has settings and no state: one for all. */
const parser = new MarkdownIt('default', { html: false, linkify: true, breaks: true });
// Only whole addresses become links: guessing them takes time that grows with the square of a hostile text.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false }).add('//', null);
/** Of these a person's text has few. Matching many of them takes as long as there are pairs, so beyond that the text is shown as it is. */
const marks = /[*_~`[\]!<|]/g;
const marksMax = 2500;
// Nothing relative either: a body is read in mails and feeds too, where it would lead elsewhere.
parser.validateLink = address => /^(https?:\/\/|mailto:)[^\s]/i.test(address.trim());
parser.core.ruler.push('status_page', state => {
  for (const token of state.tokens) {
    if (token.type === 'inline') token.children = imagesAsLinks(state, token.children ?? []);
    if (/^t[hd]_open$/.test(token.type)) token.attrs = null;
  }
});
parser.renderer.rules.link_open = (tokens, index) =>
  `<a href="${escapeText(String(tokens[index]?.attrGet('href') ?? ''))}" rel="nofollow noopener">`;

/**
 * Safe HTML: raw HTML is text, links lead to http, https or mail only, and nothing loads by itself. Headings begin at
 * `topHeading` and never skip a level, whatever the author wrote, so that they fit where the text stands.
 */
export function renderMarkdown(text: string, topHeading = 4): string {
  if (hasManyMarks(text)) return `<p>${escapeText(text).replaceAll('\n', '<br>\n')}</p>`;
  const tokens = parser.parse(allowedText(text), {});
  fitHeadings(tokens, topHeading);
  return parser.renderer.render(tokens, parser.options, {}).trim();
}

/** The words alone, each block a line, for summaries, mails and previews. */
export function plainText(markdown: string): string {
  if (hasManyMarks(markdown)) return allowedText(markdown);
  const lines = parser.parse(allowedText(markdown), {}).flatMap(token => {
    if (token.type === 'inline') return [wordsOf(token.children ?? [])];
    return token.type === 'fence' || token.type === 'code_block' ? [token.content.trim()] : [];
  });
  return lines.filter(line => line !== '').join('\n');
}

function hasManyMarks(text: string): boolean {
  return (text.match(marks)?.length ?? 0) > marksMax;
}

function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map(token => (token.type === 'softbreak' || token.type === 'hardbreak' ? '\n' : token.content))
    .join('')
    .trim();
}

/** An image would be fetched from elsewhere by every reader. Within a link it becomes words: links cannot nest. */
function imagesAsLinks(state: StateCore, tokens: readonly Token[]): Token[] {
  let depth = 0;
  return tokens.flatMap(token => {
    if (token.type === 'link_open') depth += 1;
    if (token.type === 'link_close') depth -= 1;
    if (token.type !== 'image') return [token];
    const address = String(token.attrGet('src') ?? '');
    const words = new state.Token('text', '', 0);
    words.content = wordsOf(token.children ?? []) || 'image';
    if (depth > 0) return [words];
    const open = new state.Token('link_open', 'a', 1);
    open.attrSet('href', address);
    return [open, words, new state.Token('link_close', 'a', -1)];
  });
}

function fitHeadings(tokens: readonly Token[], top: number): void {
  const outer: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const level = Number(token.tag.slice(1));
    while ((outer.at(-1) ?? 0) >= level) outer.pop();
    outer.push(level);
    const tag = `h${Math.min(6, top + outer.length - 1)}`;
    token.tag = tag;
    const close = tokens[index + 2];
    if (close?.type === 'heading_close') close.tag = tag;
  }
}
