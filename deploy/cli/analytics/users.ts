import { dataOf } from '../connection/session.ts';
import type { Command } from '../frame/command.ts';
import { CommandError } from '../frame/failure.ts';
import { recordsOf } from './records.ts';

const exportUser: Command = {
  name: 'users export',
  summary: 'Export all stored events of a user, a line of JSON each',
  args: 'ID',
  arity: [1, 1],
  examples: ['upquorum users export u1 > u1.ndjson'],
  run: async ({ connect, terminal, args }) => {
    const { fetch } = await connect();
    const path = `/v0/users/${encodeURIComponent(args[0] ?? '')}/export`;
    const response = await fetch('GET', path, { headers: { Accept: 'application/x-ndjson' } });
    let count = 0;
    const isComplete = await recordsOf(response, false, async ({ text }) => {
      count += 1;
      await terminal.flow(text);
    });
    if (!isComplete) throw new CommandError('the export broke off', 'Try again: it begins anew.');
    await terminal.flow(`${JSON.stringify({ complete: true, count })}\n`);
  },
};

const eraseUser: Command = {
  name: 'users erase',
  summary: 'Erase a user: their events, and their place in what is counted from them',
  args: 'ID',
  arity: [1, 1],
  flags: [{ name: 'yes', short: 'y', summary: 'do not ask; needed without a terminal' }],
  notes: ['Prints the ID of the erasure: `upquorum api GET /v0/erasures/ID` says when it is done.'],
  run: async ({ connect, terminal, args, has }) => {
    const [id = ''] = args;
    const { client } = await connect();
    if (!has('yes')) {
      if (!terminal.canAsk) throw new CommandError('nobody can be asked', 'With --yes it is done without a question.');
      if (!(await terminal.confirm(`Erase all that ${id} did, for good?`))) throw new CommandError('not erased');
    }
    const path = { external_id: id };
    const erasure = await dataOf(client.DELETE('/v0/users/{external_id}', { params: { path } }));
    if (terminal.isJson) terminal.json(erasure);
    else terminal.line(`${erasure.id} ${erasure.state}`);
  },
};

export const userCommands: readonly Command[] = [exportUser, eraseUser];
