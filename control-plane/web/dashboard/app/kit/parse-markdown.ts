import MarkdownIt, { type Token } from 'markdown-it';

/** Markdown as elements: text, or a tag with its safe attributes and children. */
export type Node = string | { tag: string; href: string | null; children: Node[] };

// The settings of the status page: `control-plane/platform/markup/markdown.ts`.
const parser = new MarkdownIt('default', { html: false, linkify: true, breaks: true });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false }).add('//', null);
parser.validateLink = address => /^(https?:\/\/|mailto:)[^\s]/i.test(address.trim());

const marks = /[*_~`[\]!<|]/g;
const marksMax = 2500;

/** A text as the status page shows it. Raw HTML stays text; images become links; nothing is loaded. */
export function parseMarkdown(text: string): Node[] {
  if ((text.match(marks)?.length ?? 0) > marksMax) return [element('p', [text])];
  return treeOf(parser.parse(text, {}));
}

function treeOf(tokens: readonly Token[]): Node[] {
  const root = element('root', []);
  const open = [root];
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.nesting === -1) {
      if (open.length > 1) open.pop();
      continue;
    }
    for (const node of nodesOf(token)) {
      parent.children.push(node);
      if (token.nesting === 1 && typeof node !== 'string') open.push(node);
    }
  }
  return root.children;
}

function nodesOf(token: Token): Node[] {
  switch (token.type) {
    case 'inline':
      return treeOf(token.children ?? []);
    case 'text':
    case 'html_inline':
    case 'html_block':
      return [String(token.content)];
    case 'softbreak':
    case 'hardbreak':
      return [element('br', [])];
    case 'code_inline':
      return [element('code', [token.content])];
    case 'fence':
    case 'code_block':
      return [element('pre', [element('code', [token.content])])];
    case 'image':
      return [element('a', [String(token.content || token.attrGet('src') || '')], String(token.attrGet('src') ?? ''))];
    case 'paragraph_open':
      return token.hidden ? [element('span', [])] : [element('p', [])];
    case 'heading_open':
      return [element(`h${Math.min(6, Number(token.tag.slice(1)) + 3)}`, [])];
    default:
      return token.tag === ''
        ? [String(token.content)]
        : [element(token.tag, [], String(token.attrGet('href') ?? '') || null)];
  }
}

function element(tag: string, children: Node[], href: string | null = null): Exclude<Node, string> {
  return { tag, href, children };
}
