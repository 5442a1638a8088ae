import type Router from '@koa/router';
import type Koa from 'koa';
import { z } from 'zod';
import { findSlackSecret, openSlackSecret } from '../../delivery/transports/slack/installation-store.ts';
import { plainLine } from '../../delivery/transports/text.ts';
import type { Acknowledger } from '../../monitoring/alerts/alert.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { reserveBodyFor } from '../../platform/http/bodies/body-budget.ts';
import { readBytes } from '../../platform/http/bodies/read-body.ts';
import { chargeRequest } from '../../platform/http/limits/rate-limit.ts';
import { Problem } from '../../platform/http/problem.ts';
import { findGroup } from '../alert-groups/store.ts';
import { isExpired, readLinkToken } from '../channels/addresses/link-token.ts';
import { openConfig } from '../channels/secrets/sealed.ts';
import { acknowledgeGroup } from './acknowledge.ts';
import type { LinkServices } from './public-routes.ts';
import { clockMs, isSignedByPagerduty, isSignedBySlack } from './signature.ts';
import { findAnyChannel } from './store.ts';

const hookLimit = { perMinute: 300, burst: 300 };

/** What a signature is compared with where nobody has a secret, so that it takes as long. */
const noSecret = 'none';

/** The database takes neither NUL nor half a character. */
const line = (max: number) => z.string().max(max).transform(plainLine);

const clickSchema = z.object({
  user: z.object({ id: line(100), name: line(200).optional(), username: line(200).optional() }),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().max(2000).optional() })).max(20),
});

const eventSchema = z.object({
  event: z.object({
    event_type: z.string(),
    occurred_at: z.string().max(40).nullish(),
    agent: z.object({ id: line(100), summary: line(200).nullish() }).nullish(),
    data: z.object({ incident_key: line(300).nullish() }).nullish(),
  }),
});

/** What services tell us: clicks on buttons in Slack, and what happens to incidents of PagerDuty. */
export function addHookRoutes(router: Router, services: LinkServices): void {
  router.post('/hooks/slack/:project', context => hook(context, services, followSlack));
  router.post('/hooks/pagerduty/:channel', context => hook(context, services, followPagerduty));
}

type Follow = (context: Koa.Context, services: LinkServices, body: Buffer, nowMs: number) => Promise<void>;

async function hook(context: Koa.Context, services: LinkServices, follow: Follow): Promise<void> {
  const { pools, callerKey, forms, clock } = services;
  const caller = callerKey(context.req);
  await chargeRequest(sqlOf(pools.front), `hook ${caller}`, hookLimit);
  const reserved = reserveBodyFor(context.res, forms, { caller, owner: caller });
  const body = await readBytes(context.req, forms.bodyBytesMax, reserved.take);
  await follow(context, services, body, clock.now());
  context.status = 200;
  context.type = 'application/json';
  context.body = '{}';
}

async function followSlack(context: Koa.Context, services: LinkServices, body: Buffer, nowMs: number): Promise<void> {
  const { keyring, pools } = services;
  const projectId = parameterOf(context, 'project');
  const sealed = await findSlackSecret(sqlOf(pools.front), projectId);
  const signed = { timestamp: context.get('x-slack-request-timestamp'), signature: context.get('x-slack-signature') };
  // Without a secret as with another one: who asks does not learn which projects have one.
  const secret = sealed === null ? null : openSlackSecret(projectId, sealed, keyring);
  if (!isSignedBySlack(secret ?? noSecret, signed, body, nowMs) || secret === null)
    throw new Problem('invalid_signature');
  const click = clickSchema.safeParse(parse(new URLSearchParams(body.toString('utf8')).get('payload') ?? ''));
  if (!click.success) return;
  const { user, actions } = click.data;
  const token = actions.find(action => action.action_id === 'acknowledge')?.value ?? '';
  const content = readLinkToken(token, keyring);
  if (content?.purpose !== 'acknowledge' || content.project !== projectId || isExpired(content, nowMs)) return;
  const by = { type: 'slack', id: user.id, name: user.username ?? user.name ?? user.id } as const;
  await acknowledge(context, services, { projectId, groupId: content.group }, by, nowMs);
}

async function followPagerduty(
  context: Koa.Context,
  services: LinkServices,
  body: Buffer,
  nowMs: number,
): Promise<void> {
  const channel = await findAnyChannel(sqlOf(services.pools.front), parameterOf(context, 'channel'));
  const stored = channel === null ? null : openConfig(channel, services.keyring).webhook_secret;
  const secret = typeof stored === 'string' ? stored : null;
  const isSigned = isSignedByPagerduty(secret ?? noSecret, context.get('x-pagerduty-signature'), body);
  if (!isSigned || secret === null || channel === null) throw new Problem('invalid_signature');
  const parsed = eventSchema.safeParse(parse(body.toString('utf8')));
  if (!parsed.success) return;
  const { event_type: type, occurred_at: occurredAt, agent, data } = parsed.data.event;
  // Only verdicts resolve: who resolves it there has at least seen it.
  if (type !== 'incident.acknowledged' && type !== 'incident.resolved') return;
  const by = { type: 'pagerduty', id: agent?.id ?? channel.id, name: agent?.summary ?? channel.name } as const;
  const groupId = data?.incident_key ?? '';
  // Its signature covers no time but this. A message that comes late, or again, says nothing of what opened since.
  const at = occurredAt == null ? Number.NaN : Date.parse(occurredAt);
  const openedBefore = Number.isNaN(at) ? nowMs : Math.min(nowMs, at + clockMs);
  await acknowledge(context, services, { projectId: channel.project_id, groupId, openedBefore }, by, nowMs);
}

function acknowledge(
  { state }: Koa.Context,
  { pools }: LinkServices,
  group: { projectId: string; groupId: string; openedBefore?: number },
  by: Acknowledger,
  nowMs: number,
): Promise<void> {
  return transaction(
    pools.api,
    async sql => {
      const found = await findGroup(sql, group.projectId, group.groupId);
      if (found === null || found.ended_at !== null) return;
      await acknowledgeGroup(sql, group, by, nowMs, { requestId: state.requestId });
    },
    group.projectId,
  );
}

function parameterOf(context: Koa.Context, name: string): string {
  const value = (context as Koa.Context & { params: Record<string, string> }).params[name] ?? '';
  if (!/^\w{1,64}$/.test(value)) throw new Problem('not_found');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
