import type { Position } from './text-position.ts';

const sqlStart =
  /^(\s|\{\w+\})*(select|insert into|update \w+ set|delete from|(create|alter|drop) (table|index)|with \w+ as|pragma) /;
/** Headers, policies and error codes: words for machines. */
const machineTexts = [
  /(^|\s)(default|script|style|img|connect|frame|form|base)-\w+ '/,
  /^(require-)?trusted-types/,
  /^[\w-]+: [\w/+-]+$/,
  /^E[A-Z]{4,}$/,
];
const inlineTags = 'a|abbr|b|bdi|code|em|i|small|span|strong|time';
const blockTags =
  'article|aside|body|button|d[dlt]|div|fieldset|figure|footer|form|h\\{?\\w+\\}?|head|header|html|img|input|label|' +
  'legend|li|link|main|meta|nav|[ou]l|option|p|section|select|summary|svg|table|t[dhr]|text|title';
const knownTag = new RegExp(`</?(${inlineTags}|${blockTags})\\b[^<>]*>`);
const inlineTag = new RegExp(`</?(?:${inlineTags})\\b[^<>]*>`, 'g');
const anyTag = /<[a-z/!?{][^<>]*(?:>|$)/gi;
const readAttribute = /\s(?:title|alt|aria-label|placeholder)="([^"]*)"/g;
const endOfCutTag = /^[^<>]*"\s*\/?>/;
const word = /^[("'“*]*\p{L}+[\p{L}’'-]*[)"'”*.,:;!?…]*$/u;

/**
 * The texts within a literal that people read: without markup, one for each block or line. Where the position says
 * nothing, a text counts when at least two of its words are plain words.
 */
export function readableTexts(literal: string, position: Position): string[] {
  if (position === 'code' || sqlStart.test(literal) || machineTexts.some(pattern => pattern.test(literal))) return [];
  const isMarkup = knownTag.test(literal);
  const wordsMin = position === 'read' || isMarkup ? 1 : 2;
  return (isMarkup ? textsOfMarkup(literal) : literal.split('\n'))
    .map(text => text.replace(/\s+/g, ' ').trim())
    .filter(text => countWords(text) >= wordsMin);
}

function textsOfMarkup(markup: string): string[] {
  const attributes = [...markup.matchAll(readAttribute)].map(match => match[1] ?? '');
  const blocks = markup.replace(endOfCutTag, '').replace(inlineTag, '').replace(anyTag, '\0').split('\0');
  return [...attributes, ...blocks];
}

function countWords(text: string): number {
  const plain = text.replace(/\{[^{}]*\}/g, '');
  return plain.split(/\s+/).filter(part => word.test(part)).length;
}
