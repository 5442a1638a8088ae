import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import type { Keyring } from '../secrets/keyring.ts';
import { deleteSlack, findSlackSince, putSlack } from './slack-store.ts';

const path = '/v0/slack';
const tag = 'Slack';
const slackSchema = z
  .object({ connected: z.boolean(), connected_at: z.string().nullable() })
  .meta({ title: 'SlackConnection' });

/** The project's Slack: its bot token goes in and never comes out. */
export function slackEndpoints({ keyring }: { keyring: Keyring }): readonly Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path,
      summary: 'Whether Slack is connected',
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
      summary: 'Connect Slack by the token of a bot that has chat:write',
      tag,
      scope: 'project:write',
      body: z.object({
        bot_token: z
          .string()
          .regex(/^[\x21-\x7e]{10,500}$/, 'must be a token such as xoxb-…')
          .describe('never shown again'),
      }),
      answers: { 200: slackSchema },
      handle: async ({ sql, caller, body, nowMs }) => {
        await putSlack(sql, keyring, caller.projectId, body.bot_token, nowMs);
        return { status: 200, body: { connected: true, connected_at: toTimestamp(nowMs) } };
      },
    }),
    endpoint({
      method: 'delete',
      path,
      summary: 'Disconnect Slack',
      tag,
      scope: 'project:write',
      answers: { 204: null },
      handle: async ({ sql, caller }) => {
        await deleteSlack(sql, caller.projectId);
        return { status: 204 };
      },
    }),
  ];
}
