const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a text is measured in: UTF-16 code units, or bytes of UTF-8. */
export type Unit = 'characters' | 'bytes';

const sizes: Readonly<Record<Unit, (text: string) => number>> = {
  characters: text => text.length,
  bytes: text => Buffer.byteLength(text),
};

/**
 * The text, or its start and `…` where it is longer than `max`; never a part of what a reader sees as one character.
 * `write` escapes each character; what it makes of one is never cut.
 */
export function cut(text: string, max: number, unit: Unit = 'characters', write = (part: string) => part): string {
  const size = sizes[unit];
  const clean = text.toWellFormed();
  // No text that is much longer is segmented to its end.
  const whole = clean.length <= max ? write(clean) : null;
  if (whole !== null && size(whole) <= max) return whole;
  const room = max - size('…');
  let written = '';
  let used = 0;
  for (const { segment } of segmenter.segment(clean.slice(0, max + 1))) {
    const piece = write(segment);
    used += size(piece);
    if (used > room) break;
    written += piece;
  }
  return `${written}…`;
}

/** Lines as one text of at most `max`: each is escaped, and what does not fit is cut. */
export function cutLines(
  lines: readonly string[],
  max: number,
  {
    unit = 'characters',
    write = part => part,
    join = '\n',
  }: { unit?: Unit; write?: (part: string) => string; join?: string } = {},
): string {
  const size = sizes[unit];
  let text = '';
  for (const line of lines) {
    const lead = text === '' ? '' : join;
    const room = max - size(text) - size(lead);
    // Room for the mark that something was cut.
    if (room < 8) break;
    const piece = cut(line, room, unit, write);
    text += `${lead}${piece}`;
    if (piece.endsWith('…') && !write(line).endsWith('…')) break;
  }
  return text;
}

/** One line without control characters and characters that change the writing direction. */
export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
}

/** Times such as 09:30:00 have none of them. */
const emojiName = /[^\d]|^100$|^1234$/;

/**
 * The text as Slack and its like show it unformatted. They have no escape for what begins and ends formatting, so
 * look-alikes stand for it where it could; underscores and tildes within a word mean nothing. A joiner breaks the names
 * of emoji: `:a:` in an IPv6 address is one.
 */
export function unformatted(text: string): string {
  return text
    .replaceAll('*', '∗')
    .replaceAll('`', 'ˋ')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '＿')
    .replace(/(?<![\p{L}\p{N}])~|~(?![\p{L}\p{N}])/gu, '∼')
    .replace(/:(?=([\w+'-]{1,100}):)/g, (colon, name: string) => (emojiName.test(name) ? `${colon}\u2060` : colon))
    .replace(/^>/, '›');
}

/** The same for services that read Markdown without its escapes: no strikethrough, links, mentions or formulas. */
export function withoutMarkup(text: string): string {
  return unformatted(text.replace(/~(?=~)/g, '∼')).replace(/[@#<](?=\S)|\](?=\()|\$(?=\$)/g, '$&\u2060');
}

/** Escapes the punctuation that Markdown gives a meaning to, and `@`, which could mention somebody. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~:]/g, '\\$&').replaceAll('@', '@\u200b');
}
