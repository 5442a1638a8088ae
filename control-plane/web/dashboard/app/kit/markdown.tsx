import { type ComponentChild, h } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Node, parseMarkdown } from './parse-markdown.ts';

/** Markdown as the status page shows it, made of elements and text nodes only. */
export function Markdown({ text }: { text: string }) {
  const nodes = useMemo(() => parseMarkdown(text), [text]);
  return <>{nodes.map(toElement)}</>;
}

function toElement(node: Node): ComponentChild {
  if (typeof node === 'string') return node;
  const link = node.href === null ? {} : { href: node.href, rel: 'noreferrer', target: '_blank' };
  return h(node.tag, link, ...node.children.map(toElement));
}
