import { cutLines } from '../../../../delivery/transports/text.ts';
import type { Message } from '../../message.ts';
import { isForm, isJson } from './template.ts';

/** Only a title and a text, for a receiver that does not take what the template makes of this message. */
export function plainForm(
  { title, lines, url, acknowledgeUrl }: Message,
  contentType: string,
): [type: string, body: string] {
  const acknowledge = acknowledgeUrl === null ? [] : [`Acknowledge: ${acknowledgeUrl}`];
  const text = cutLines([title, ...lines, `View: ${url}`, ...acknowledge], 10_000);
  if (isJson(contentType)) return [contentType, JSON.stringify({ title, text })];
  if (isForm(contentType)) return [contentType, new URLSearchParams({ title, text }).toString()];
  return ['text/plain; charset=utf-8', text];
}
