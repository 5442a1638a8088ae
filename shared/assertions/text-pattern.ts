import { RE2JS } from 're2js';

/** Longest pattern accepted. */
export const patternLengthMax = 1024;
const textLengthMax = 16_384;
/** Instructions times characters; about 20 ns each in the worst case (measured), so under 100 ms for one call. */
const stepsMax = 3_000_000;
const stepsOfACall = 16;

/** A pattern is compiled with its repetitions written out, about 1.5 µs for each part of it (measured): 3 ms at most. */
const partsMax = 2000;
/** A Unicode class is hundreds of ranges, which cost as much as so many parts, but once: repetitions share them. */
const partsOfUnicodeClass = 100;

// Alternatives never match the same text in two ways: the scan itself is linear.
const token =
  /\\Q.*?(?:\\E|$)|\\x\{\w+\}|\\[pP](?:\{\^?\w+\}|.)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\(\?[a-zA-Z-]+\)|\((?:\?(?:[a-zA-Z-]*:|P?<\w+>))?|\{(\d+)(?:,(\d*))?\}|./gsu;

/** True when RE2 syntax accepts the pattern and it is not too costly to compile. */
export function isPattern(pattern: string): boolean {
  if (countParts(pattern) > partsMax) return false;
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
}

/** How many parts a pattern has when its repetitions are written out, at least: `(?:a{9}b){3}` has 33, `)` being one. */
function countParts(pattern: string): number {
  const outer: number[] = [];
  let open = 0;
  let last = 0;
  for (const [text, least = '1', most] of pattern.matchAll(token)) {
    if (/^\(\?[a-zA-Z-]+\)$/.test(text)) continue;
    if (/^\{\d/.test(text)) {
      const more = last * (Math.max(1, Number(most || least)) - 1);
      open += more;
      last += more;
    } else if (text.startsWith('(')) {
      outer.push(open);
      open = 0;
      last = 0;
    } else if (text === ')') {
      last = open + 1;
      open = last + (outer.pop() ?? 0);
    } else {
      // After an operator, or a quotation that may be empty, a repetition can still mean what stood before.
      const goesOn = /^(?:[*+?]|\\Q)/.test(text);
      const parts = text.startsWith('\\Q') ? text.length : 1;
      last = goesOn ? last + parts : parts;
      open += parts;
    }
  }
  const unicodeClasses = pattern.match(/\\[pP]/g) ?? [];
  return outer.reduce((sum, parts) => sum + parts, open) + unicodeClasses.length * partsOfUnicodeClass;
}

/** Looks for the pattern anywhere in the text: its first 16,384 characters, fewer for a pattern that repeats much. */
export function matchesPattern(pattern: string, text: string): boolean {
  return matchesAny(pattern, [text]);
}

/** The same for several texts, within the time of one: texts beyond it are not looked at. */
export function matchesAny(pattern: string, texts: readonly string[]): boolean {
  const compiled = RE2JS.compile(pattern);
  const size = compiled.programSize();
  let steps = stepsMax;
  for (const text of texts) {
    const looked = text.slice(0, Math.min(textLengthMax, Math.floor(steps / size)));
    if (compiled.matcher(looked).find()) return true;
    steps -= (looked.length + stepsOfACall) * size;
    if (steps <= 0) return false;
  }
  return false;
}
