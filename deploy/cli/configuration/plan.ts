import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, type Session } from '../connection/session.ts';
import type { Command, Flag, Invocation } from '../frame/command.ts';
import { exits } from '../frame/failure.ts';
import { valuesFor } from './env-file.ts';
import { readDocuments } from './read-documents.ts';
import { changesOf, showPlan } from './show-plan.ts';

/** How documents are planned. */
export const planFlags: readonly Flag[] = [
  { name: 'prune', summary: 'delete what their manager has and the documents do not' },
  { name: 'adopt', summary: 'take over resources that nobody manages, by key or name' },
  { name: 'env-file', value: 'FILE', summary: 'NAME=value lines for {$env: NAME}; the environment wins' },
];

export const planCommand: Command = {
  name: 'plan',
  summary: 'Show what documents would change; nothing is changed',
  args: 'PATH…',
  arity: [1, 200],
  flags: planFlags,
  notes: [
    'A PATH is a file or a folder; files that documents include are read, too.',
    'Exit code: 0 nothing to do, 1 conflicts or an error, 2 there are changes.',
  ],
  examples: ['upquorum plan upquorum.yaml', 'upquorum plan monitors/ --prune --env-file secrets.env'],
  run: async invocation => {
    const { terminal } = invocation;
    const plan = await makePlan(invocation, await invocation.connect());
    if (terminal.isJson) terminal.json(plan);
    else {
      showPlan(terminal, plan);
      if (plan.applicable && changesOf(plan) > 0)
        terminal.note(`Apply it within an hour: upquorum apply --plan ${plan.id}`);
    }
    if (plan.counts.conflict > 0) return exits.error;
    return changesOf(plan) > 0 ? exits.changes : 0;
  },
};

/** Plans the documents at the paths of a command. */
export async function makePlan(
  { args, has, value, env }: Invocation,
  { client }: Session,
): Promise<Schemas['ConfigPlan']> {
  const { files, names } = await readDocuments(args);
  const body = {
    documents: [...files],
    env: await valuesFor(names, env, value('env-file')),
    prune: has('prune'),
    adopt: has('adopt'),
    partial: true,
  };
  return dataOf(client.POST('/v0/config/plan', { body }));
}
