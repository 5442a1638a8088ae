import { type Command, commonFlags, type Flag } from './command.ts';
import { widthOf, wrap } from './text.ts';

const width = 80;

/** Pure: all commands, a line each; those of one noun share a line. */
export function overview(commands: readonly Command[], nouns: Readonly<Record<string, string>>): string {
  const groups = new Map<string, Command[]>();
  for (const command of commands) {
    const [noun = ''] = command.name.split(' ');
    groups.set(noun, [...(groups.get(noun) ?? []), command]);
  }
  const lines = [...groups].map(([noun, members]) => {
    const verbs = members.filter(({ name }) => name.includes(' ')).map(({ name }) => name.slice(noun.length + 1));
    return [noun, nouns[noun] ?? (verbs.length > 0 ? verbs.join(', ') : (members[0]?.summary ?? ''))] as const;
  });
  return ['Usage: upquorum COMMAND [ARGUMENTS] [FLAGS]', '', ...columns(lines), '', footer].join('\n');
}

const footer = 'Help on one: `upquorum help COMMAND`. First: `upquorum login URL`.';

/** Pure: the help of one command. */
export function helpOf(command: Command): string {
  const { name, args, summary, flags = [], notes = [], examples = [] } = command;
  const usage = ['upquorum', name, args ?? '', flags.length > 0 ? '[FLAGS]' : ''].filter(word => word !== '').join(' ');
  return [
    wrap(`${summary}.`, width),
    '',
    `Usage: ${usage}`,
    ...(flags.length === 0 ? [] : ['', ...columns(flags.map(flagLine))]),
    ...(notes.length === 0 ? [] : ['', ...notes.map(note => wrap(note, width))]),
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.map(example => `  ${example}`)]),
    '',
    `All commands take ${commonFlags.map(({ name: flag }) => `--${flag}`).join(', ')}.`,
  ].join('\n');
}

/** Pure: the help of a noun: a line for each of its commands. */
export function helpOfNoun(noun: string, commands: readonly Command[]): string {
  const lines = commands.map(({ name, args, summary }) => [`${name} ${args ?? ''}`.trim(), summary] as const);
  return [`Usage: upquorum ${noun} COMMAND`, '', ...columns(lines)].join('\n');
}

function flagLine({ name, short, value, summary, choices }: Flag): readonly [string, string] {
  const left = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
  return [left, choices === undefined ? summary : `${summary} (${choices.join(', ')})`];
}

function columns(lines: readonly (readonly [left: string, right: string])[]): string[] {
  const left = Math.min(34, Math.max(...lines.map(([name]) => widthOf(name))));
  return lines.map(([name, text]) => {
    const wrapped = wrap(text, width - left - 4)
      .split('\n')
      .join(`\n${' '.repeat(left + 4)}`);
    return name.length > left ? `  ${name}\n${' '.repeat(left + 4)}${wrapped}` : `  ${name.padEnd(left)}  ${wrapped}`;
  });
}
