import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { type Budget, newBudget, stepsOfAssertionMax } from './budget.ts';

/** Longest pattern accepted. */
export const patternLengthMax = 1024;
/** A step is one instruction for one character, up to 30 ns (measured with 300,000 characters). */
const stepsPerCall = 16;

/** Compiled patterns take about 80 bytes per instruction and 30 KB each (measured): at most 23 MB. */
const compiledMax = 500;
const instructionsMax = 100_000;

/** The compiler expands repetitions, at about 1.5 µs per part (measured): at most 3 ms. */
const partsMax = 2000;
/** A Unicode class has hundreds of ranges, which cost as much as 100 parts, but only once: repetitions share them. */
const partsPerUnicodeClass = 100;

// No two alternatives match the same text, so the scan itself is linear.
const tokens = {
  quotation: /\\Q.*?(?:\\E|$)/,
  codePoint: /\\x\{\w+\}/,
  unicodeClass: /\\[pP](?:\{\^?\w+\}|.)/,
  escape: /\\./,
  characterClass: /\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]/,
  flags: /\(\?[a-zA-Z-]+\)/,
  groupStart: /\((?:\?(?:[a-zA-Z-]*:|P?<\w+>))?/,
  repetition: /\{(\d+)(?:,(\d*))?\}/,
  anyOther: /./,
};
const token = new RegExp(
  Object.values(tokens)
    .map(({ source }) => source)
    .join('|'),
  'gsu',
);

/** True if the pattern is valid RE2 syntax and not too expensive to compile. */
export function isPattern(pattern: string): boolean {
  return countParts(pattern) <= partsMax && compile(pattern) !== null;
}

/** A lower bound for the parts of a pattern with its repetitions expanded: `(?:a{9}b){3}` has 33, counting `)`. */
export function countParts(pattern: string): number {
  const outer: number[] = [];
  let open = 0;
  let last = 0;
  for (const [text, min = '1', max] of pattern.matchAll(token)) {
    if (/^\(\?[a-zA-Z-]+\)$/.test(text)) continue;
    if (/^\{\d/.test(text)) {
      const added = last * (Math.max(1, Number(max || min)) - 1);
      open += added;
      last += added;
    } else if (text.startsWith('(')) {
      outer.push(open);
      open = 0;
      last = 0;
    } else if (text === ')') {
      last = open + 1;
      open = last + (outer.pop() ?? 0);
    } else {
      // After an operator, or a quotation that may be empty, a repetition can still refer to the part before it.
      const extendsLast = /^(?:[*+?]|\\Q)/.test(text);
      const parts = text.startsWith('\\Q') ? text.length : 1;
      last = extendsLast ? last + parts : parts;
      open += parts;
    }
  }
  const unicodeClasses = pattern.match(/\\[pP]/g) ?? [];
  return outer.reduce((sum, parts) => sum + parts, open) + unicodeClasses.length * partsPerUnicodeClass;
}

/** What can match at the end of a text, although more follows where it was cut. */
const looksAtEnd = /\$|\\[zbB]/;

/** `not_examined`: the budget ended before all texts were searched to their ends. `invalid`: it does not compile. */
export type PatternOutcome = 'match' | 'no_match' | 'not_examined' | 'invalid';

/** True if the pattern matches anywhere in the text, or in as much of it as one assertion may search. */
export function matchesPattern(pattern: string, text: string): boolean {
  return matchPattern(pattern, [text], newBudget()) === 'match';
}

/** Whether the pattern matches any of the texts, within the time limit of one and the budget of the check. */
export function matchPattern(pattern: string, texts: readonly string[], budget: Budget): PatternOutcome {
  if (texts.length === 0) return 'no_match';
  if (budget.steps <= 0) return 'not_examined';
  const program = compiled(pattern);
  if (program === null) return 'invalid';
  const size = program.programSize();
  let steps = stepsOfAssertionMax;
  for (const text of texts) {
    if (steps <= 0) return 'not_examined';
    const examined = beginningOf(text, Math.floor(steps / size));
    const cost = (examined.length + stepsPerCall) * size;
    steps -= cost;
    budget.steps -= cost;
    const matcher = program.matcher(examined);
    const isFound = matcher.find();
    if (examined === text && isFound) return 'match';
    if (examined === text) continue;
    return isFound && (matcher.end() < examined.length || !looksAtEnd.test(pattern)) ? 'match' : 'not_examined';
  }
  return 'no_match';
}

/** What a pattern finds first in a text: its first group, or all of the match; null if it finds nothing. */
export function findInText(pattern: string, text: string, budget: Budget): string | null {
  const program = budget.steps <= 0 ? null : compiled(pattern);
  if (program === null) return null;
  const size = program.programSize();
  const examined = beginningOf(text, Math.floor(stepsOfAssertionMax / size));
  budget.steps -= (examined.length + stepsPerCall) * size;
  const matcher = program.matcher(examined);
  if (!matcher.find()) return null;
  // What ends where the text was cut may go on behind it.
  if (examined !== text && matcher.end() === examined.length) return null;
  return (matcher.groupCount() > 0 ? matcher.group(1) : null) ?? matcher.group();
}

/** At most that long, and of whole characters. */
function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const isCut = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isCut ? length - 1 : length);
}

/** One for the process: it changes what a match costs, never its outcome. */
const compiledPatterns = new LRUCache<string, RE2JS>({
  max: compiledMax,
  maxSize: instructionsMax,
  sizeCalculation: program => program.programSize(),
});

/** Null if the pattern is invalid. */
function compiled(pattern: string): RE2JS | null {
  const program = compiledPatterns.get(pattern) ?? compile(pattern);
  if (program !== null) compiledPatterns.set(pattern, program);
  return program;
}

function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}
