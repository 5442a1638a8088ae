import { parseArgs } from 'node:util';
import { type Command, commonFlags, type Flag } from './command.ts';
import { UsageError } from './failure.ts';
import { nearest } from './nearest.ts';

/** Arguments and flags as they were given; a flag without a value has an empty one. */
export type Parsed = { args: readonly string[]; flags: ReadonlyMap<string, readonly string[]> };

/** The command that the words name, and what follows them. Null without words. Throws a UsageError. */
export function findCommand(
  commands: readonly Command[],
  argv: readonly string[],
): { command: Command; rest: readonly string[] } | null {
  const leading = leadingFlags(argv);
  const words = argv.slice(leading);
  const [first, second] = words;
  if (first === undefined) return null;
  const isFlag = first.startsWith('-');
  const two = isFlag || second === undefined ? undefined : commands.find(({ name }) => name === `${first} ${second}`);
  const command = two ?? commands.find(({ name }) => name === first);
  if (command !== undefined)
    return { command, rest: [...argv.slice(0, leading), ...words.slice(two === undefined ? 1 : 2)] };
  if (isFlag) throw new UsageError(`there is no flag ${first} before a command`, 'See `upquorum help`.');
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length > 0) throw unknownInGroup(first, second, group);
  const names = [...new Set(commands.flatMap(({ name }) => [name, name.split(' ')[0] ?? '']))];
  throw new UsageError(`there is no command \`${first}\``, hintOf(nearest(first, names)));
}

function unknownInGroup(first: string, second: string | undefined, group: readonly Command[]): UsageError {
  const names = group.map(({ name }) => name.slice(first.length + 1));
  const list = `\`upquorum ${first}\` has ${names.join(', ')}.`;
  if (second === undefined || second.startsWith('-'))
    return new UsageError(`\`${first}\` needs to know what to do`, list);
  const near = nearest(second, names);
  return new UsageError(
    `there is no command \`${first} ${second}\``,
    near === null ? list : hintOf(`${first} ${near}`),
  );
}

/** Reads the flags and arguments of a command. Throws a UsageError that names what is wrong. */
export function parseCommand(command: Command, given: readonly string[]): Parsed {
  const known = [...(command.flags ?? []), ...commonFlags];
  const options = Object.fromEntries(
    known.map(({ name, short, value }) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) } as const,
    ]),
  );
  const { tokens } = parseArgs({ args: [...given], options, strict: false, allowPositionals: true, tokens: true });
  const args: string[] = [];
  const flags = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = known.find(({ name }) => name === token.name);
    if (flag === undefined) throw unknownFlag(command, token.rawName, known);
    const list = flags.get(flag.name) ?? [];
    list.push(flagValue(command, flag, token.value));
    flags.set(flag.name, list);
  }
  const [least, most] = command.arity ?? [0, 0];
  if (!flags.has('help')) {
    if (args.length < least) throw usageOf(command, `\`${command.name}\` needs ${command.args ?? 'an argument'}`);
    if (args.length > most) throw usageOf(command, `\`${command.name}\` does not take \`${args[most] ?? ''}\``);
  }
  return { args, flags };
}

function flagValue(command: Command, { name, value, choices }: Flag, given: string | undefined): string {
  if (value === undefined) {
    if (given !== undefined) throw usageOf(command, `--${name} takes no value`);
    return '';
  }
  if (given === undefined || (given.length > 1 && given.startsWith('--')))
    throw usageOf(command, `--${name} needs a value: ${value}`);
  if (choices === undefined || choices.includes(given)) return given;
  const near = nearest(given, choices);
  const meant = near === null ? '' : `; did you mean ${near}?`;
  throw usageOf(command, `--${name} is one of ${choices.join(', ')}, not ${given}${meant}`);
}

function unknownFlag(command: Command, given: string, known: readonly Flag[]): UsageError {
  const near = nearest(
    given.replace(/^-+/, ''),
    known.map(({ name }) => name),
  );
  const message = `\`${command.name}\` has no flag ${given}`;
  return near === null ? usageOf(command, message) : new UsageError(message, `Did you mean --${near}?`);
}

function usageOf({ name }: Command, message: string): UsageError {
  return new UsageError(message, `See \`upquorum help ${name}\`.`);
}

function hintOf(near: string | null): string {
  return near === null ? 'See `upquorum help`.' : `Did you mean \`upquorum ${near}\`?`;
}

/** How many words before the command are flags that each command takes. */
function leadingFlags(argv: readonly string[]): number {
  let index = 0;
  for (;;) {
    const word = argv[index] ?? '';
    const flag = commonFlags.find(({ name, short }) => {
      return word === `--${name}` || word.startsWith(`--${name}=`) || (short !== undefined && word === `-${short}`);
    });
    if (flag === undefined) return index;
    index += flag.value !== undefined && !word.includes('=') ? 2 : 1;
  }
}
