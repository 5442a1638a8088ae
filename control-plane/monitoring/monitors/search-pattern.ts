import { foldForSearch } from '#shared/search-folding.ts';

/** Letters in which characters that fold to several may begin and end anywhere; longer runs are cut. */
const runLengthMax = 6;
/** No letter with case comes later. */
const lastCode = 0x1ffff;
/** Most letters that one character folds to. */
const foldedLengthMax = 3;

/**
 * A regular expression of PostgreSQL for texts that contain a part when both are folded for search. It names all the
 * characters that fold to each letter: what `lower` does depends on the database's locale, and no PostgreSQL before 18
 * knows full case folding.
 */
export function searchPattern(part: string): string {
  const runs = runsOf(Array.from(foldForSearch(part.toWellFormed())));
  return runs
    .map((run, index) => [...waysToWrite(run, index === 0, index === runs.length - 1)])
    .map(ways => (ways.length === 1 ? ways[0] : `(?:${ways.join('|')})`))
    .join('');
}

/** Cuts where no character stands for letters of both sides. */
function runsOf(letters: readonly string[]): string[][] {
  const runs: string[][] = [];
  for (const [index, letter] of letters.entries()) {
    const run = runs.at(-1);
    const isJoined = run !== undefined && run.length < runLengthMax && isWithinCharacter(letters, index);
    if (isJoined) run.push(letter);
    else runs.push([letter]);
  }
  return runs;
}

/** True if one character stands for a letter and the one before it. */
function isWithinCharacter(letters: readonly string[], index: number): boolean {
  for (let start = Math.max(0, index - foldedLengthMax + 1); start < index; start++)
    for (let end = index + 1; end <= start + foldedLengthMax; end++)
      if (charactersByFolding().has(letters.slice(start, end).join(''))) return true;
  return false;
}

/** Where the part begins or ends, only some letters of a character may belong to it. */
function* waysToWrite(letters: readonly string[], isStart: boolean, isEnd: boolean): Generator<string> {
  if (letters.length === 0) return yield '';
  const rest = letters.join('');
  const whole = isEnd ? longerWhere(folded => folded.length > rest.length && folded.startsWith(rest)) : [];
  if (whole.length > 0) yield classOf(whole);
  for (let length = 1; length <= Math.min(foldedLengthMax, letters.length); length++) {
    const text = letters.slice(0, length).join('');
    const exact = charactersByFolding().get(text) ?? [];
    const cut = isStart ? longerWhere(folded => folded.length > text.length && folded.endsWith(text)) : [];
    const characters = [...(length === 1 ? [text] : []), ...exact, ...cut];
    if (characters.length === 0) continue;
    for (const others of waysToWrite(letters.slice(length), false, isEnd)) yield classOf(characters) + others;
  }
}

function longerWhere(isFound: (folded: string) => boolean): string[] {
  return [...charactersByFolding()].flatMap(([folded, all]) => (folded.length > 1 && isFound(folded) ? all : []));
}

function classOf(characters: readonly string[]): string {
  const texts = characters.map(escaped);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join('')}]`;
}

function escaped(character: string): string {
  if (/[A-Za-z0-9]/.test(character)) return character;
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}

/** What folds to something else, by that: about 1,500 characters, found in some milliseconds by the first search. */
function charactersByFolding(): ReadonlyMap<string, readonly string[]> {
  found ??= findCharacters();
  return found;
}
let found: ReadonlyMap<string, readonly string[]> | null = null;

function findCharacters(): ReadonlyMap<string, readonly string[]> {
  const characters = new Map<string, string[]>();
  for (let code = 0; code <= lastCode; code++) {
    const character = String.fromCodePoint(code);
    if (!/\p{Changes_When_Casemapped}/u.test(character)) continue;
    const folded = foldForSearch(character);
    if (folded !== character) characters.set(folded, [...(characters.get(folded) ?? []), character]);
  }
  return characters;
}
