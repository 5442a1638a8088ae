import { readFile } from 'node:fs/promises';
import { errorCode } from '../../../shared/error-code.ts';
import { CommandError } from '../frame/failure.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The values of the names that documents ask for: the environment wins over the file. */
export async function valuesFor(
  names: Iterable<string>,
  env: Env,
  file: string | null,
): Promise<Record<string, string>> {
  const given = file === null ? {} : parseEnvFile(await readEnvFile(file), file);
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = env[name] ?? (Object.hasOwn(given, name) ? given[name] : undefined);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

async function readEnvFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new CommandError(`there is no ${file}`);
    throw error;
  }
}

/** Pure: `NAME=value` lines with the quotes of a shell, nothing expanded. Throws a CommandError that names the line. */
export function parseEnvFile(text: string, file: string): Record<string, string> {
  const values: Record<string, string> = {};
  let rest = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  while (rest !== '') {
    const blank = /^[ \t]*(?:#[^\n]*)?(?:\n|$)/.exec(rest);
    if (blank !== null && blank[0] !== '') {
      rest = rest.slice(blank[0].length);
      continue;
    }
    const start = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=/.exec(rest);
    const word = start === null ? null : readWord(rest.slice(start[0].length));
    if (start === null || word === null) {
      const line = text.replaceAll('\r\n', '\n').slice(0, -rest.length).split('\n').length;
      throw new CommandError(`${file}:${line} is not NAME=value`, "Quote values with spaces: NAME='two words'");
    }
    values[start[1] ?? ''] = word.value;
    rest = word.rest;
  }
  return values;
}

/** Reads one word with its quotes, to the end of its line; null if more follows, or a quote is not closed. */
function readWord(text: string): { value: string; rest: string } | null {
  let rest = text;
  let value = '';
  for (;;) {
    const part = /^(?:'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+))/.exec(rest);
    if (part === null) break;
    const [whole, single, double, escaped, plain] = part;
    if (escaped !== '\n') value += single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? '';
    rest = rest.slice(whole.length);
  }
  const end = /^[ \t]*(?:[ \t]#[^\n]*)?(?:\n|$)/.exec(rest);
  return end === null ? null : { value, rest: rest.slice(end[0].length) };
}
