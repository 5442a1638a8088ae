import { errorCode } from '../../shared/error-code.ts';
import { commands, nouns } from './commands.ts';
import { ProblemError } from './connection/problem.ts';
import { chooseServer } from './connection/server.ts';
import { openSession } from './connection/session.ts';
import type { Command, Invocation } from './frame/command.ts';
import { CommandError, exits, UsageError } from './frame/failure.ts';
import { helpOf, helpOfNoun, overview } from './frame/help.ts';
import { findCommand, type Parsed, parseCommand } from './frame/parse.ts';
import { openTerminal, type Terminal } from './frame/terminal.ts';
import { visible } from './frame/text.ts';
import { version } from './version.ts';

/** Runs the program with these arguments, and sets the exit code of the process. */
export async function run(argv: readonly string[], env: Invocation['env']): Promise<void> {
  // A reader that has seen enough, such as `head`, closes the pipe.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', error => process.exit(errorCode(error) === 'EPIPE' ? 0 : exits.error));
  process.on('SIGINT', () => process.exit(exits.interrupted));
  try {
    process.exitCode = await answer(argv, env);
  } catch (error) {
    process.exitCode = report(error, argv.includes('--json'));
  }
}

async function answer(argv: readonly string[], env: Invocation['env']): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) return print(version);
  const asksForHelp = argv.length === 0 || argv[0] === '--help' || argv[0] === '-h';
  if (asksForHelp) return print(overview(commands, nouns));
  const [noun = '', flag] = argv;
  const group = commands.filter(({ name }) => name.startsWith(`${noun} `));
  const isCommand = commands.some(({ name }) => name === noun);
  if (group.length > 0 && !isCommand && argv.length === 2 && (flag === '--help' || flag === '-h'))
    return print(helpOfNoun(noun, group));
  const found = findCommand(commands, argv);
  if (found === null) return print(overview(commands, nouns));
  const { command, rest } = found;
  const parsed = parseCommand(command, rest);
  if (parsed.flags.has('help')) return print(helpOf(command));
  return (await command.run(invocationOf(command, parsed, env))) ?? 0;
}

function invocationOf(command: Command, { args, flags }: Parsed, env: Invocation['env']): Invocation {
  const terminal = openTerminal(process, env, { isJson: flags.has('json'), isColorless: flags.has('no-color') });
  const value = (flag: string) => flags.get(flag)?.at(-1) ?? null;
  return {
    args,
    has: flag => flags.has(flag),
    value,
    values: flag => flags.get(flag) ?? [],
    required: flag => {
      const given = value(flag);
      if (given !== null) return given;
      throw new UsageError(`\`${command.name}\` needs --${flag}`, `See \`upquorum help ${command.name}\`.`);
    },
    number: flag => {
      const given = value(flag);
      if (given === null) return null;
      if (/^\d{1,12}$/.test(given)) return Number(given);
      throw new UsageError(`--${flag} is a whole number, not ${given}`, `See \`upquorum help ${command.name}\`.`);
    },
    env,
    terminal,
    connect: async () =>
      openSession(await chooseServer(env, value('profile')), { version, debug: debugOf(terminal, env) }),
  };
}

function debugOf(terminal: Terminal, env: Invocation['env']): ((line: string) => void) | null {
  return env.UPQUORUM_DEBUG === '1' ? line => terminal.note(line) : null;
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** Says what went wrong, and what to do; a problem of the API as JSON for who asked for JSON. */
function report(error: unknown, isJson: boolean): number {
  if (!(error instanceof CommandError)) throw error;
  if (isJson) {
    const body = error instanceof ProblemError ? error.body : { detail: error.message, hint: error.hint };
    process.stderr.write(`${JSON.stringify(body)}\n`);
  } else {
    const lines = [`upquorum: ${error.message}`, ...(error.hint === null ? [] : [error.hint])];
    process.stderr.write(`${visible(lines.join('\n'), true)}\n`);
  }
  return error instanceof UsageError ? exits.usage : exits.error;
}
