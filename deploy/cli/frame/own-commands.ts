import type { Command } from './command.ts';
import { completionOf, type Shell, shells } from './completion.ts';
import { UsageError } from './failure.ts';
import { helpOf, helpOfNoun, overview } from './help.ts';
import { findCommand } from './parse.ts';

type Table = { commands: readonly Command[]; nouns: Readonly<Record<string, string>> };

export function helpCommand(table: () => Table): Command {
  return {
    name: 'help',
    summary: 'Show help on a command',
    args: '[COMMAND]',
    arity: [0, 2],
    run: async ({ args, terminal }) => {
      const { commands, nouns } = table();
      const isNoun = args.length === 1 && !commands.some(({ name }) => name === args[0]);
      const group = isNoun ? commands.filter(({ name }) => name.startsWith(`${args[0]} `)) : [];
      const found = group.length > 0 ? null : findCommand(commands, args);
      if (group.length > 0) terminal.line(helpOfNoun(args[0] ?? '', group));
      else terminal.line(found === null ? overview(commands, nouns) : helpOf(found.command));
    },
  };
}

export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Print a script that completes commands and flags',
    args: shells.join('|'),
    arity: [1, 1],
    notes: ['Pressing Tab asks no server.'],
    examples: [
      'source <(upquorum completion bash)   # in ~/.bashrc; the same for zsh',
      'upquorum completion fish > ~/.config/fish/completions/upquorum.fish',
    ],
    run: async ({ args, terminal }) => {
      const [shell = ''] = args;
      if (!shells.includes(shell as Shell))
        throw new UsageError(`there is no completion for ${shell}`, `There is one for ${shells.join(', ')}.`);
      terminal.raw(completionOf(shell as Shell, commands()));
    },
  };
}
