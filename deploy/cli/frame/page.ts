import type { Command } from './command.ts';

/** Pure: the commands as tables of Markdown, for the docs. */
export function pageOf(commands: readonly Command[]): string {
  const rows = commands.map(({ name, args, summary }) => {
    const call = `${name}${args === undefined ? '' : ` ${args}`}`;
    return `| \`${call.replaceAll('|', '\\|')}\` | ${summary} |`;
  });
  const flags = commands.flatMap(({ name, flags: own = [] }) =>
    own.map(({ name: flag, short, value, summary, choices }) => {
      const text = `${short === undefined ? '' : `-${short}, `}--${flag}${value === undefined ? '' : ` ${value}`}`;
      const all = choices === undefined ? summary : `${summary} (${choices.join(', ')})`;
      return `| \`${name}\` | \`${text.replaceAll('|', '\\|')}\` | ${all.replaceAll('|', '\\|')} |`;
    }),
  );
  const table = (header: string[], lines: string[]) =>
    [`| ${header.join(' | ')} |`, `|${' --- |'.repeat(header.length)}`, ...lines].join('\n');
  return `${table(['Command', ''], rows)}\n\n${table(['Of', 'Flag', ''], flags)}\n`;
}
