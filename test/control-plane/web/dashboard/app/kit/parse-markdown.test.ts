import test from 'ava';
import { type Node, parseMarkdown } from '#control-plane/web/dashboard/app/kit/parse-markdown.ts';
import { scriptPayloads } from '#test/support/script-payloads.ts';

function textOf(node: Node | undefined): string {
  if (node === undefined || typeof node === 'string') return node ?? '';
  return node.children.map(textOf).join('').trim();
}

test('Markdown becomes elements that hold no markup of its author', t => {
  const [paragraph, list] = parseMarkdown('Our **provider** [says](https://a.example/) <b>no</b>\n\n- one');
  t.is(textOf(paragraph), 'Our provider says <b>no</b>');
  t.is(textOf(list), 'one');
  const tags = new Set<string>();
  const addresses = new Set<string | null>();
  const visit = (node: Node): void => {
    if (typeof node === 'string') return;
    tags.add(node.tag);
    addresses.add(node.href);
    for (const child of node.children) visit(child);
  };
  for (const payload of [...scriptPayloads, '![x](javascript:alert(1))', '[x](data:text/html,a)'])
    for (const node of parseMarkdown(payload)) visit(node);
  t.deepEqual(
    [...tags].filter(tag => /script|img|iframe|svg|style/i.test(tag)),
    [],
  );
  t.deepEqual(
    [...addresses].filter(address => address !== null && !/^(https?|mailto):/.test(address)),
    [],
  );
});
