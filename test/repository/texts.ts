import { readableTexts } from './readable-texts.ts';
import { isGenerated, type Source } from './sources.ts';
import { type AnyNode, treeOf, walk } from './syntax.ts';
import { type Position, positionOf } from './text-position.ts';

/** Sources without a text for people: style sheets, drawings, the generated bundles. */
const withoutTexts = /\/render\/style\.ts$|\/design\/(tokens|icons)\.ts$|\/browser-client\/(flows|builds\/.*)\.js$/;

/** Tables of words, in which even a single capitalised word is read by people. */
const wordTables = /\/(labels|badge|words|presentation|english|german|french)\.ts$/;

/** Stores hold SQL: only their errors are read by people. */
const stores = /store\.ts$/;

/** Whether a file may have texts that people read. */
export function hasTexts(path: string): boolean {
  return /\.(tsx?|js|html)$/.test(path) && !isGenerated(path) && !withoutTexts.test(path);
}

/** The texts of one source: literals of several words, and single words where people read them. */
export function textsOf(source: Source): string[] {
  if (source.path.endsWith('.html'))
    return readableTexts(source.text.replace(/<(style|script)[\s\S]*?<\/\1>/g, ''), 'read');
  const texts: string[] = [];
  walk(treeOf(source), (node, ancestors) => {
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return 'skip';
    const text = literalText(node);
    if (text === null || isPartOfSum(ancestors.at(-1))) return;
    const position = positionOf(node, ancestors);
    texts.push(...readableTexts(text, position === 'unknown' ? usualPosition(source.path, text) : position));
  });
  return texts;
}

function usualPosition(path: string, text: string): Position {
  if (stores.test(path)) return 'code';
  return wordTables.test(path) && /^\p{Lu}/u.test(text) ? 'read' : 'unknown';
}

/** The text of a string, a template or a sum of them; null for every other node. */
function literalText(node: AnyNode): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type === 'TemplateLiteral')
    return node.quasis
      .map(({ value }, index) => `${value.cooked ?? value.raw}${holeName(node.expressions[index])}`)
      .join('');
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return null;
  const [left, right] = [literalText(node.left), literalText(node.right)];
  if (left === null && right === null) return null;
  return (left ?? holeName(node.left)) + (right ?? holeName(node.right));
}

function isPartOfSum(parent: AnyNode | undefined): boolean {
  return parent?.type === 'BinaryExpression' && parent.operator === '+' && literalText(parent) !== null;
}

function holeName(node: AnyNode | undefined): string {
  return node === undefined ? '' : `{${nameOf(node)}}`;
}

function nameOf(node: AnyNode): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'MemberExpression') return node.computed ? nameOf(node.object) : nameOf(node.property);
  if (node.type === 'CallExpression')
    return /^(join|map|slice|toFixed|trim)$/.test(nameOf(node.callee)) && node.callee.type === 'MemberExpression'
      ? nameOf(node.callee.object)
      : nameOf(node.callee);
  if (node.type === 'ChainExpression') return nameOf(node.expression);
  if (node.type === 'AwaitExpression') return nameOf(node.argument);
  if (node.type === 'LogicalExpression') return nameOf(node.left);
  return '…';
}
