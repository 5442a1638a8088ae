import type { Schemas } from '../../../control-plane/web/api-client/client.ts';
import { dataOf, type Session } from '../connection/session.ts';
import type { Command, Invocation } from '../frame/command.ts';
import { CommandError, UsageError } from '../frame/failure.ts';
import { counted } from '../frame/text.ts';
import { makePlan, planFlags } from './plan.ts';
import { changesOf, showPlan } from './show-plan.ts';

type Plan = Schemas['ConfigPlan'];

export const applyCommand: Command = {
  name: 'apply',
  summary: 'Change what the documents say: all of it, or nothing',
  args: 'PATH…',
  arity: [0, 200],
  flags: [
    ...planFlags,
    { name: 'plan', value: 'ID', summary: 'apply this plan instead of documents' },
    { name: 'yes', short: 'y', summary: 'do not ask; needed without a terminal' },
    { name: 'expected-deletes', value: 'N', summary: 'how many resources may be deleted; needed without a terminal' },
  ],
  notes: ['More than 500 changes are applied in parts, each all or nothing.'],
  examples: ['upquorum apply monitors/', 'upquorum apply --plan pln_… --yes --expected-deletes 2'],
  run: async invocation => {
    const { args, value } = invocation;
    const planId = value('plan');
    if ((planId === null) === (args.length === 0))
      throw new UsageError('`apply` needs paths of documents, or --plan', 'See `upquorum help apply`.');
    const session = await invocation.connect();
    const first =
      planId === null
        ? await makePlan(invocation, session, null)
        : await dataOf(session.client.GET('/v0/config/plans/{id}', { params: { path: { id: planId } } }));
    return applyParts(invocation, session, first);
  },
};

/** Applies a plan, and then what is left of its documents. */
async function applyParts(invocation: Invocation, session: Session, first: Plan): Promise<number> {
  const { terminal, value } = invocation;
  const allowed = invocation.number('expected-deletes');
  const applied: Plan[] = [];
  let deleted = 0;
  for (let plan = first; ; plan = await makePlan(invocation, session, 'none')) {
    if (!terminal.isJson && (plan.actions.length > 0 || applied.length === 0)) showPlan(terminal, plan);
    if (plan.counts.conflict > 0)
      throw new CommandError(
        `the plan has ${counted(plan.counts.conflict, 'conflict')}: nothing of it is applied`,
        null,
      );
    deleted += plan.counts.delete;
    const isOver = plan.remaining === 0;
    requireDeletes(deleted, allowed, isOver, terminal.canAsk || plan.applied_at !== null);
    if (changesOf(plan) > 0 && plan.applied_at === null) {
      if (applied.length === 0) await requireYes(invocation, plan);
      applied.push(await terminal.during('Applying', applyOne(session, plan)));
    }
    if (isOver || value('plan') !== null) break;
  }
  if (terminal.isJson) terminal.json(applied.length === 1 ? applied[0] : { data: applied });
  else terminal.note(applied.length === 0 ? 'Nothing to do.' : 'Applied.');
  return 0;
}

function applyOne({ client }: Session, { id, counts }: Plan): Promise<Plan> {
  return dataOf(client.POST('/v0/config/apply', { body: { plan_id: id, expected_deletes: counts.delete } }));
}

function requireDeletes(deleted: number, allowed: number | null, isOver: boolean, canAsk: boolean): void {
  if (allowed === null && (deleted === 0 || canAsk)) return;
  if (allowed === null)
    throw new CommandError(
      `the plan deletes ${counted(deleted, 'resource')}`,
      `If that is right: --expected-deletes ${deleted}. Nothing is applied.`,
    );
  if (deleted > allowed || (isOver && deleted !== allowed))
    throw new CommandError(
      `the plan deletes ${counted(deleted, 'resource')}, not ${allowed}`,
      'Plan again, and look at it.',
    );
}

async function requireYes({ terminal, has }: Invocation, plan: Plan): Promise<void> {
  if (has('yes')) return;
  if (!terminal.canAsk)
    throw new CommandError('nobody can be asked whether to apply this', `With --yes it is applied without a question.`);
  const deletes = plan.counts.delete === 0 ? '' : `, and delete ${plan.counts.delete}`;
  if (await terminal.confirm(`Apply these ${changesOf(plan)} changes${deletes}?`)) return;
  throw new CommandError('not applied', null);
}
