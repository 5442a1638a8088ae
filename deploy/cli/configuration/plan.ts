import { writeFile } from 'node:fs/promises';
import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, type Session } from '../connection/session.ts';
import type { Command, Flag, Invocation } from '../frame/command.ts';
import { exits, UsageError } from '../frame/failure.ts';
import { valuesFor } from './env-file.ts';
import { failuresOf, needsBacktest, parseGates } from './gates.ts';
import { readDocuments } from './read-documents.ts';
import { changesOf, showPlan } from './show-plan.ts';

type Plan = Schemas['ConfigPlan'];
type Backtest = 'none' | '24h' | '7d';

/** How documents are planned. */
export const planFlags: readonly Flag[] = [
  { name: 'prune', summary: 'delete what their manager has and the documents do not' },
  { name: 'adopt', summary: 'take over resources that nobody manages, by key or name' },
  { name: 'env-file', value: 'FILE', summary: 'NAME=value lines for {$env: NAME}; the environment wins' },
];

const backtest: Flag = {
  name: 'backtest',
  value: 'DAYS',
  choices: ['none', '24h', '7d'],
  summary: 'which alerts of that time the changes would have added or missed (24h)',
};

export const planCommand: Command = {
  name: 'plan',
  summary: 'Show what documents would change; nothing is changed',
  args: 'PATH…',
  arity: [1, 200],
  flags: [
    ...planFlags,
    backtest,
    { name: 'markdown', value: 'FILE|-', summary: 'write it for a comment on a pull request, too' },
    {
      name: 'fail-on',
      value: 'GATES',
      summary: 'missed[=p1|p2|p3], late=SECONDS, noise[=N], deletes, drift, unproven',
    },
  ],
  notes: [
    'A PATH is a file or a folder; files that documents include are read, too.',
    'Exit code: 0 nothing to do, 1 conflicts or an error, 2 there are changes, 3 a gate of --fail-on.',
  ],
  examples: ['upquorum plan upquorum.yaml', 'upquorum plan monitors/ --backtest 7d --fail-on missed=p1,noise=2'],
  run: invocation => planAndShow(invocation, invocation.value('backtest') as Backtest | null),
};

export const diffCommand: Command = {
  name: 'diff',
  summary: 'As `plan`, without judging the past again: quicker',
  args: 'PATH…',
  arity: [1, 200],
  flags: planFlags,
  run: invocation => planAndShow(invocation, 'none'),
};

async function planAndShow(invocation: Invocation, asked: Backtest | null): Promise<number> {
  const { terminal, value } = invocation;
  const gates = parseGates(value('fail-on'));
  const gate = asked === 'none' ? gates.find(needsBacktest) : undefined;
  if (gate !== undefined)
    throw new UsageError(`--fail-on ${gate.name} needs a back-test`, 'Leave out --backtest none, or the gate.');
  const session = await invocation.connect();
  const plan = await makePlan(invocation, session, asked);
  const file = value('markdown');
  if (file !== null) await writeMarkdown(invocation, session, plan.id, file);
  if (terminal.isJson) terminal.json(plan);
  else if (file !== '-') {
    showPlan(terminal, plan);
    if (plan.applicable && changesOf(plan) > 0)
      terminal.note(`Apply it within an hour: upquorum apply --plan ${plan.id}`);
  }
  const failures = failuresOf(plan, gates);
  for (const failure of failures) terminal.note(failure);
  if (plan.counts.conflict > 0) return exits.error;
  if (failures.length > 0) return exits.gate;
  return changesOf(plan) > 0 ? exits.changes : 0;
}

async function writeMarkdown({ terminal }: Invocation, { fetch }: Session, id: string, file: string): Promise<void> {
  const response = await fetch('GET', `/v0/config/plans/${id}`, { headers: { Accept: 'text/markdown' } });
  const text = await response.text();
  if (file === '-') terminal.raw(text);
  else await writeFile(file, text);
}

/** Plans the documents at the paths of a command. */
export async function makePlan(
  { args, has, value, env, terminal }: Invocation,
  { client }: Session,
  asked: Backtest | null,
): Promise<Plan> {
  const { files, names } = await readDocuments(args);
  const body = {
    documents: [...files],
    env: await valuesFor(names, env, value('env-file')),
    prune: has('prune'),
    adopt: has('adopt'),
    partial: true,
    ...(asked === null ? {} : { backtest: asked }),
  };
  return terminal.during('Planning', dataOf(client.POST('/v0/config/plan', { body })));
}
