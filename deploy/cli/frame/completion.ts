import { type Command, commonFlags } from './command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Pure: a script that completes the words and flags of all commands, and files elsewhere. */
export function completionOf(shell: Shell, commands: readonly Command[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return `#compdef upquorum\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
    case 'fish':
      return fish(commands);
    default:
      return shell satisfies never;
  }
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map(command => `    '${command.name}') flags='${flagsOf(command).join(' ')}' ;;`);
  const nouns = nounsOf(commands).map(([noun, verbs]) => `    '${noun}') words='${verbs.join(' ')}' ;;`);
  return `_upquorum() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words='' flags=''
  local one="\${COMP_WORDS[1]}" two="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"
  case "$one" in
${nouns.join('\n')}
  esac
  case "$two" in
${cases.filter(line => line.includes(' ', line.indexOf("'") + 1) && /'\S+ \S+'\)/.test(line)).join('\n')}
  esac
  [ -n "$flags" ] || case "$one" in
${cases.filter(line => /'\S+'\)/.test(line)).join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W '${firstWords(commands).join(' ')}' -- "$current"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [ "\${current#-}" != "$current" ]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _upquorum upquorum
`;
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const first = firstWords(commands).map(word => {
    const summary = commands.find(({ name }) => name === word)?.summary ?? '';
    return `complete -c upquorum -n __fish_use_subcommand -f -a ${word} -d ${quoted(summary)}`;
  });
  const verbs = nounsOf(commands).map(([noun, words]) => {
    const list = words.join(' ');
    const when = `__fish_seen_subcommand_from ${noun}; and not __fish_seen_subcommand_from ${list}`;
    return `complete -c upquorum -n '${when}' -f -a '${list}'`;
  });
  const flags = commands.flatMap(({ name, flags: own = [] }) => {
    const seen = name
      .split(' ')
      .map(word => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
    return own.map(({ name: flag, summary, value, choices }) => {
      const takes = value === undefined ? '' : choices === undefined ? ' -r' : ` -x -a '${choices.join(' ')}'`;
      return `complete -c upquorum -n '${seen}' -l ${flag} -d ${quoted(summary)}${takes}`;
    });
  });
  return `${[...first, ...verbs, ...flags].join('\n')}\n`;
}

function firstWords(commands: readonly Command[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
}

function nounsOf(commands: readonly Command[]): [noun: string, verbs: string[]][] {
  const nouns = new Map<string, string[]>();
  for (const { name } of commands) {
    const [noun = '', verb] = name.split(' ');
    if (verb !== undefined) nouns.set(noun, [...(nouns.get(noun) ?? []), verb]);
  }
  return [...nouns];
}

function flagsOf({ flags = [] }: Command): string[] {
  return [...flags, ...commonFlags].map(({ name }) => `--${name}`);
}
