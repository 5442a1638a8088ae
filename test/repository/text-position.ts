import type { AnyNode } from './syntax.ts';

/** Whether people read the literal at a position: yes, no, or to be judged by the text itself. */
export type Position = 'read' | 'code' | 'unknown';

const readProperties = names(
  'summary detail details description message title heading text label hint empty placeholder alt caption note',
  'sentence what aria-label',
);
const codeProperties = names(
  'class className key for id rel role style href src d viewBox transform points type name pattern options',
  'aria-live aria-current aria-hidden aria-labelledby aria-describedby content-security-policy permissions-policy',
);
const readCalls = names('say log progress fault Error describe');
const logMethods = names('trace debug info warn error fatal');
const codeCalls = names(
  'query rows row run once fragment literal enum oneOf replace replaceAll split startsWith endsWith includes test',
  'match matchAll querySelector closest setHeader setAttribute addEventListener createHash runCommand spawn RegExp',
  'Problem',
);
const codeTags = names('sql tx fragment rows row run once');

/** Nodes that hand their value on to the node above. */
const passing = new Set([
  'ConditionalExpression',
  'LogicalExpression',
  'ArrayExpression',
  'BinaryExpression',
  'SpreadElement',
]);

/** Judges the position of a literal by the nodes above it, nearest last. */
export function positionOf(node: AnyNode, ancestors: readonly AnyNode[]): Position {
  let child = node;
  for (const parent of ancestors.toReversed()) {
    if (parent.type === 'BinaryExpression' && parent.operator !== '+') return 'code';
    if (!passing.has(parent.type) || (parent.type === 'ConditionalExpression' && parent.test === child))
      return directPosition(child, parent);
    child = parent;
  }
  return 'unknown';
}

function directPosition(node: AnyNode, parent: AnyNode): Position {
  switch (parent.type) {
    case 'Property': {
      if (parent.key === node) return 'code';
      return byName(nameOf(parent.key), readProperties, codeProperties);
    }
    case 'CallExpression':
    case 'NewExpression':
      return argumentPosition(node, parent.callee, parent.arguments.indexOf(node as never));
    case 'TaggedTemplateExpression': {
      if (nameOf(parent.tag) === 'html') return 'read';
      return codeTags.has(nameOf(parent.tag)) || codeTags.has(rootName(parent.tag)) ? 'code' : 'unknown';
    }
    case 'SwitchCase':
      return parent.test === node ? 'code' : 'unknown';
    case 'MemberExpression':
    case 'ExpressionStatement':
      return 'code';
    default:
      return 'unknown';
  }
}

function argumentPosition(node: AnyNode, callee: AnyNode, index: number): Position {
  const name = nameOf(callee);
  if (name === 'element') return index >= 2 ? 'read' : 'code';
  if (logMethods.has(name) && rootName(callee) === 'log') return 'read';
  if (node.type === 'Literal' && name === 'Problem') return 'code';
  if (name.endsWith('Error')) return 'read';
  return byName(name, readCalls, codeCalls);
}

function byName(name: string, read: ReadonlySet<string>, code: ReadonlySet<string>): Position {
  if (read.has(name)) return 'read';
  return code.has(name) || name.startsWith('data-') ? 'code' : 'unknown';
}

function names(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap(line => line.split(' ')));
}

function nameOf(node: AnyNode): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'Literal') return String(node.value);
  return node.type === 'MemberExpression' ? nameOf(node.property) : '';
}

function rootName(node: AnyNode): string {
  if (node.type === 'MemberExpression')
    return node.object.type === 'MemberExpression' ? nameOf(node.object) : rootName(node.object);
  return node.type === 'Identifier' ? node.name : '';
}
