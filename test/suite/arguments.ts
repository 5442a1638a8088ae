/** The three kinds of storage the suite runs on. */
export type Edition = 'plain' | 'apache' | 'community';

/**
 * The arguments of `npm test -- …`: editions to run (null: all available), whether to skip lint and types, AVA's own.
 */
export type SuiteArguments = { editions: readonly Edition[] | null; onlyAva: boolean; ava: readonly string[] };

const editions: readonly Edition[] = ['plain', 'apache', 'community'];
const storageFlag = '--storage=';

/** Reads the arguments; those that are not ours are passed to AVA. Throws on an unknown edition. */
export function readArguments(args: readonly string[]): SuiteArguments {
  const storage = args.find(arg => arg.startsWith(storageFlag))?.slice(storageFlag.length);
  return {
    editions: storage === undefined ? null : storage.split(',').map(toEdition),
    onlyAva: args.includes('--only-ava'),
    ava: args.filter(arg => arg !== '--only-ava' && !arg.startsWith(storageFlag)),
  };
}

function toEdition(name: string): Edition {
  const edition = editions.find(candidate => candidate === name);
  if (edition === undefined) throw new Error(`--storage must be one of ${editions.join(', ')}, not "${name}"`);
  return edition;
}
