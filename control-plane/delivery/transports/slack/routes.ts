import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { Fields } from '../../../platform/audit/entry.ts';
import { sealed } from '../../../platform/audit/sealed.ts';
import { type Endpoint, endpoint } from '../../../platform/http/endpoint/endpoint.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import { deleteSlack, findSlackSince, lockSlack, putSlack } from './installation-store.ts';

const path = '/v0/slack';
const tag = 'Slack';
const slackSchema = z
  .object({ connected: z.boolean(), connected_at: z.string().nullable() })
  .meta({ title: 'SlackConnection' });

/** The project's Slack connection. Its bot token is never returned. */
export function slackEndpoints({ keyring }: { keyring: Keyring }): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'Get the Slack connection',
      tag,
      scope: 'project:read',
      answers: { 200: slackSchema },
      handle: async ({ sql, caller }) => {
        const since = await findSlackSince(sql, caller.projectId);
        const connected_at = since === null ? null : toTimestamp(since);
        return { status: 200, body: { connected: since !== null, connected_at } };
      },
    }),
    endpoint({
      method: 'put',
      path,
      operation: 'connectSlack',
      summary: 'Connect Slack with a bot token that has the scope chat:write',
      tag,
      scope: 'project:write',
      body: z.object({
        bot_token: z
          .string()
          .regex(/^[\x21-\x7e]{10,500}$/, 'must be a bot token such as xoxb-…')
          .describe('Write-only.'),
        signing_secret: z
          .string()
          .regex(/^[\x21-\x7e]{10,500}$/, 'must be the signing secret of the Slack app')
          .nullable()
          .default(null)
          .describe('Enables Acknowledge buttons in Slack messages. Write-only.'),
      }),
      answers: { 200: slackSchema },
      audit: ['slack.connected'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        const secrets = { token: body.bot_token, signingSecret: body.signing_secret };
        const before = auditSlack(await lockSlack(sql, keyring, caller.projectId));
        const after = auditSlack({ ...secrets, connectedAt: nowMs });
        await record({ action: 'slack.connected', subject: caller.projectId, name: null, before, after });
        await putSlack(sql, keyring, caller.projectId, secrets, nowMs);
        return { status: 200, body: { connected: true, connected_at: toTimestamp(nowMs) } };
      },
    }),
    endpoint({
      method: 'delete',
      path,
      operation: 'disconnectSlack',
      summary: 'Disconnect Slack',
      tag,
      scope: 'project:write',
      answers: { 204: null },
      audit: ['slack.disconnected'],
      handle: async ({ sql, caller, record }) => {
        const before = auditSlack(await lockSlack(sql, keyring, caller.projectId));
        if (before !== null)
          await record({ action: 'slack.disconnected', subject: caller.projectId, name: null, before, after: null });
        await deleteSlack(sql, caller.projectId);
        return { status: 204 };
      },
    }),
  ];
}

function auditSlack(
  connection: { token: string; signingSecret: string | null; connectedAt: number } | null,
): Fields | null {
  if (connection === null) return null;
  const { token, signingSecret, connectedAt } = connection;
  return {
    bot_token: sealed(token),
    signing_secret: signingSecret === null ? null : sealed(signingSecret),
    connected_at: toTimestamp(connectedAt),
  };
}
