export type Ink = 'green' | 'red' | 'yellow' | 'blue' | 'dim' | 'bold';

const codes: Readonly<Record<Ink, readonly [on: number, off: number]>> = {
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
  blue: [34, 39],
  dim: [2, 22],
  bold: [1, 22],
};

export type Paint = (text: string, ink: Ink) => string;

export function painter(hasColors: boolean): Paint {
  return (text, ink) => {
    const [on, off] = codes[ink];
    return hasColors ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
}

const painted = /(\u001b\[\d+m)/;

/**
 * Pure: control characters, which could move the cursor or hide text, as `\u001b`. Our own colors may stay, and line
 * feeds in a text of several lines.
 */
export function visible(text: string, hasColors = false): string {
  if (hasColors)
    return text
      .split(painted)
      .map((part, index) =>
        index % 2 === 1
          ? part
          : part
              .split('\n')
              .map(line => visible(line))
              .join('\n'),
      )
      .join('');
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, character => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

/** East Asian letters and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u;

/** Pure: how many columns of a terminal the text takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) if (!/^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)) width += wide.test(character) ? 2 : 1;
  return width;
}

/** Pure: the text cut to a width, with `…` if something is missing. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    const next = widthOf(character);
    if (used + next > width - 1) break;
    kept += character;
    used += next;
  }
  return `${kept}…`;
}

/** Pure: the words in lines of at most this width. */
export function wrap(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(`${indent}${line} ${word}`) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map(one => `${indent}${one}`).join('\n');
}

/** `1 resource`, `2 resources`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
