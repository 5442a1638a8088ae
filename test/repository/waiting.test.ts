import test from 'ava';
import { sourcesOf } from './sources.ts';
import { type AnyNode, locationOf, treeOf, walk } from './syntax.ts';

/** Support whose fixed wait is the interval of a bounded poll, or what it is there to simulate. */
const allowed: Readonly<Record<string, string>> = {
  'test/support/control-plane.ts': '`until` polls, within a time limit',
  'test/shared/wait.test.ts': 'time is its subject',
  'test/support/raw-connection.ts': 'an answer is awaited by its bytes; the timer only bounds the wait',
};

/** Benchmarks and chaos measure real time. */
const files = sourcesOf('test').filter(source => !/^test\/(bench|chaos)\//.test(source.path));

test('no test waits for a fixed time: what it waits for is named', t => {
  const sleeps = files.flatMap(source => {
    if (source.path in allowed) return [];
    const locations: string[] = [];
    walk(treeOf(source), node => {
      if (node.type !== 'CallExpression') return;
      const [first, second] = node.arguments;
      const name = calledName(node.callee);
      const sleeps = (name === 'wait' || name === 'waitForTimeout') && isNumber(first);
      const delays = name === 'setTimeout' && first?.type === 'Identifier' && isNumber(second);
      if (sleeps || delays) locations.push(`${locationOf(source, node)} ${source.text.slice(node.start, node.end)}`);
    });
    return locations;
  });
  t.deepEqual(sleeps, []);
});

test('no test is skipped, expected to fail, or run alone', t => {
  const marked = files.flatMap(source => {
    const locations: string[] = [];
    walk(treeOf(source), node => {
      if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') return;
      const isMark = /^(skip|only|failing|todo)$/.test(node.property.name) && rootOf(node) === 'test';
      if (isMark) locations.push(`${locationOf(source, node)} ${source.text.slice(node.start, node.end)}`);
    });
    return locations;
  });
  t.deepEqual(marked, []);
});

test('no loop of a test goes on without a bound', t => {
  const endless = files.flatMap(source => {
    const locations: string[] = [];
    walk(treeOf(source), node => {
      if (node.type !== 'WhileStatement') return;
      let waits = false;
      walk(node.body, inner => {
        if (inner.type === 'AwaitExpression' && isWait(inner.argument)) waits = true;
      });
      if (waits && !/performance\.now\(\)|Date\.now\(\)|deadline/.test(source.text.slice(node.start, node.end)))
        locations.push(`${locationOf(source, node)} ${source.text.slice(node.start, node.test.end)})`);
    });
    return locations;
  });
  t.deepEqual(endless, []);
});

function isNumber(node: AnyNode | undefined): boolean {
  if (node?.type === 'BinaryExpression') return isNumber(node.left) && isNumber(node.right);
  return node?.type === 'Literal' && typeof node.value === 'number';
}

function isWait(node: AnyNode): boolean {
  return node.type === 'CallExpression' && calledName(node.callee) === 'wait';
}

function calledName(callee: AnyNode): string | null {
  if (callee.type === 'MemberExpression') return calledName(callee.property);
  return callee.type === 'Identifier' ? callee.name : null;
}

function rootOf(node: AnyNode): string | null {
  if (node.type === 'MemberExpression') return rootOf(node.object);
  return node.type === 'Identifier' ? node.name : null;
}
