import { type ConfigType, configTypes } from '../../../shared/config-types.ts';
import { dataOf } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { UsageError } from '../frame/failure.ts';

export const releaseCommand: Command = {
  name: 'release',
  summary: 'Give managed resources back: documents do not own them any more',
  args: '[TYPE ID]',
  arity: [0, 2],
  flags: [{ name: 'manager', value: 'NAME', summary: 'all that this manager owns' }],
  notes: [`A TYPE is one of ${configTypes.join(', ')}. The resources stay as they are.`],
  examples: ['upquorum release monitors mon_…', 'upquorum release --manager git-ops'],
  run: async ({ args, value, connect, terminal }) => {
    const manager = value('manager');
    const [type, id] = args;
    if ((manager === null) === (id === undefined))
      throw new UsageError('`release` needs TYPE and ID, or --manager', 'See `upquorum help release`.');
    const body = manager !== null ? { manager } : { type: typeOf(type ?? ''), id: id ?? '' };
    const { client } = await connect();
    await dataOf(client.POST('/v0/config/release', { body }));
    terminal.note('Released.');
  },
};

function typeOf(given: string): ConfigType {
  const found = configTypes.find(type => type === given.replaceAll('-', '_'));
  if (found !== undefined) return found;
  throw new UsageError(`there is no type ${given}`, `There are ${configTypes.join(', ')}.`);
}
