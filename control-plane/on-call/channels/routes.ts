import { z } from 'zod';
import { cancelOfChannel } from '../../delivery/notifications/cancel-store.ts';
import { readSlackToken } from '../../delivery/transports/slack/installation-store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import {
  type Answer,
  type Endpoint,
  endpoint,
  type StepRequest,
  stepEndpoint,
} from '../../platform/http/endpoint/endpoint.ts';
import { requireUnchanged } from '../../platform/http/endpoint/if-match.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { fieldProblem, Problem } from '../../platform/http/problem.ts';
import { requireQuota } from '../../platform/project-limits/quota-store.ts';
import { findProject } from '../../platform/projects/store.ts';
import { onCallCounts } from '../quotas/store.ts';
import { deleteUnusedAddresses, isAddressConfirmed } from './addresses/address-store.ts';
import { auditChannel } from './audit.ts';
import { changeChannel } from './change.ts';
import {
  type ChannelTest,
  channelPatchSchema,
  channelPostSchema,
  channelSchema,
  channelTestSchema,
  testAnswerSchema,
} from './channel.ts';
import { type ChannelServices, completeConfig, isTrusted } from './configure.ts';
import { createChannel } from './create.ts';
import { requireChannel } from './find.ts';
import { openChannelSecret, openConfig } from './secrets/sealed.ts';
import { deleteChannel, findChannel, listChannels, lockChannel } from './store.ts';
import { type Tried, type TryServices, tryChannel } from './try-channel.ts';
import { type ChannelType, channelTypes } from './types/registry.ts';
import { viewChannel } from './view.ts';

const params = z.object({ id: z.string().max(40) });
const tag = 'Channels';

export type ChannelEndpointServices = ChannelServices &
  TryServices & {
    /** Charges a project with one test. Throws `rate_limited`. */
    chargeTest(projectId: string): Promise<void>;
    /** Whether a route names the channel. */
    isRouted(sql: Sql, projectId: string, channelId: string): Promise<boolean>;
  };

/** Where alerts go: email, chat, paging and other services. */
export function channelEndpoints(services: ChannelEndpointServices): readonly Endpoint[] {
  const { keyring } = services;
  const show = async (sql: Sql, projectId: string, id: string): Promise<Answer> => ({
    status: 200,
    body: viewChannel(await requireChannel(sql, projectId, id), keyring),
  });
  const audited = async (sql: Sql, projectId: string, id: string) =>
    auditChannel(await requireChannel(sql, projectId, id), keyring);
  return [
    endpoint({
      method: 'get',
      path: '/v0/channels',
      summary: 'List channels, newest first',
      tag,
      scope: 'channels:read',
      query: z.strictObject(pageParameters),
      answers: { 200: listOf(channelSchema) },
      handle: async ({ sql, caller, query }) => {
        const rows = await listChannels(sql, caller.projectId, readPage('channels', query));
        const view = (row: (typeof rows)[number]) => viewChannel(row, keyring);
        return { status: 200, body: pageOf('channels', query, rows, row => [row.created_at, row.id], view) };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/channels',
      summary: 'Create a channel; email addresses that are new to the project are asked to confirm',
      tag,
      scope: 'channels:write',
      body: channelPostSchema,
      answers: { 201: channelSchema },
      audit: ['channel.created'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        await requireQuota(sql, caller.projectId, onCallCounts.channels);
        const { id, secret } = await createChannel(sql, services, caller.projectId, body, nowMs);
        const after = await audited(sql, caller.projectId, id);
        await record({ action: 'channel.created', subject: id, name: body.name, before: null, after });
        const shown = await show(sql, caller.projectId, id);
        const once = secret === null ? {} : { secret };
        return {
          status: 201,
          body: { ...(shown.body as object), ...once },
          headers: { Location: `/v0/channels/${id}` },
        };
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/channels/{id}',
      summary: 'Get a channel',
      tag,
      scope: 'channels:read',
      params,
      answers: { 200: channelSchema },
      handle: ({ sql, caller, params }) => show(sql, caller.projectId, params.id),
    }),
    endpoint({
      method: 'patch',
      path: '/v0/channels/{id}',
      summary: 'Update a channel; `config` is replaced, not merged, but masked secrets are kept',
      tag,
      scope: 'channels:write',
      params,
      body: channelPatchSchema,
      answers: { 200: channelSchema },
      ifMatch: true,
      audit: ['channel.updated'],
      handle: async ({ sql, caller, params, body, nowMs, expectedUpdate, record }) => {
        const { projectId } = caller;
        await lockChannel(sql, projectId, params.id);
        const before = await audited(sql, projectId, params.id);
        await changeChannel(sql, services, { projectId, id: params.id, expectedUpdate }, body, nowMs);
        const after = await audited(sql, projectId, params.id);
        await record({ action: 'channel.updated', subject: params.id, name: after.name, before, after });
        return show(sql, projectId, params.id);
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/channels/{id}',
      summary: 'Delete a channel that no route names; its queued deliveries are cancelled',
      tag,
      scope: 'channels:write',
      params,
      answers: { 204: null },
      ifMatch: true,
      audit: ['channel.deleted'],
      handle: async ({ sql, caller: { projectId }, params, nowMs, expectedUpdate, record }) => {
        if (!(await lockChannel(sql, projectId, params.id))) throw new Problem('not_found');
        requireUnchanged(expectedUpdate, (await findChannel(sql, projectId, params.id))?.updated_at ?? 0);
        if (await services.isRouted(sql, projectId, params.id)) throw new Problem('channel_in_use');
        const before = await audited(sql, projectId, params.id);
        await record({ action: 'channel.deleted', subject: params.id, name: before.name, before, after: null });
        await deleteChannel(sql, projectId, params.id);
        await deleteUnusedAddresses(sql, projectId);
        await cancelOfChannel(sql, projectId, params.id, 'the channel was deleted', nowMs);
        return { status: 204 };
      },
    }),
    ...testEndpoints(services),
  ];
}

type Saving = Pick<StepRequest<unknown, unknown, unknown>, 'now' | 'transact' | 'save'>;

function testEndpoints(services: ChannelEndpointServices): readonly Endpoint[] {
  const { keyring } = services;
  const projectOf = async (sql: Sql, projectId: string): Promise<Tried['project']> => {
    const project = await findProject(sql, projectId);
    return { id: projectId, name: project?.name ?? '' };
  };
  /** That of the channel which lends its secrets; null if none does. Throws `validation_failed` for an unknown one. */
  const storedConfig = async (sql: Sql, projectId: string, { type, channel_id: id }: ChannelTest) => {
    if (id === undefined) return null;
    const row = await findChannel(sql, projectId, id);
    if (row === null || row.type !== type)
      throw fieldProblem('/channel_id', 'unknown_reference', 'is not a channel of this type');
    return openConfig(row, keyring);
  };
  const answer = async (tried: Tried, { now, transact, save }: Saving): Promise<Answer> => {
    const result = { status: 200, body: await tryChannel(services, tried, now()) };
    await transact(sql => save(sql, result));
    return result;
  };
  return [
    stepEndpoint({
      method: 'post',
      path: '/v0/channels/test',
      operation: 'testChannelDraft',
      summary: 'Send a test message without storing a channel, at most ten tests per minute',
      tag,
      scope: 'channels:write',
      body: channelTestSchema,
      answers: { 200: testAnswerSchema },
      handle: async ({ caller: { projectId }, body, transact, ...steps }) => {
        await services.chargeTest(projectId);
        const { type } = body;
        const tried = await transact(async (sql): Promise<Tried> => {
          const stored = await storedConfig(sql, projectId, body);
          const config = completeConfig(type, body.config, stored, services.reachable);
          const needed = await readNeeded(sql, services, projectId, type, config);
          const project = await projectOf(sql, projectId);
          return { project, id: 'new', type, config, detail: 'full', signingSecret: null, ...needed };
        });
        return answer(tried, { ...steps, transact });
      },
    }),
    stepEndpoint({
      method: 'post',
      path: '/v0/channels/{id}/test',
      summary: 'Send a test message to a channel, at most ten tests per minute',
      tag,
      scope: 'channels:write',
      params,
      answers: { 200: testAnswerSchema },
      handle: async ({ caller: { projectId }, params, transact, ...steps }) => {
        const tried = await transact(async (sql): Promise<Tried> => {
          const row = await findChannel(sql, projectId, params.id);
          if (row === null) throw new Problem('not_found');
          const { id, type, detail } = row;
          const config = openConfig(row, keyring);
          const needed = await readNeeded(sql, services, projectId, type, config);
          const signingSecret = openChannelSecret(row, keyring);
          const project = await projectOf(sql, projectId);
          return { project, id, type, config, detail, signingSecret, ...needed };
        });
        await services.chargeTest(projectId);
        return answer(tried, { ...steps, transact });
      },
    }),
  ];
}

/** What a test needs of the project. */
async function readNeeded(
  sql: Sql,
  services: ChannelServices,
  projectId: string,
  type: ChannelType,
  config: Tried['config'],
): Promise<Pick<Tried, 'slackToken' | 'unconfirmed'>> {
  const { needsSlack, mailboxes } = channelTypes[type];
  return {
    slackToken: needsSlack === true ? await readSlackToken(sql, services.keyring, projectId) : null,
    unconfirmed: await findUnconfirmed(sql, services, projectId, mailboxes?.(config) ?? []),
  };
}

/** The first address that has not confirmed, or null. */
async function findUnconfirmed(
  sql: Sql,
  { hashAddress, mailDomains }: ChannelServices,
  projectId: string,
  addresses: readonly string[],
): Promise<number | null> {
  for (const [index, address] of addresses.entries()) {
    if (isTrusted(address, mailDomains)) continue;
    if (!(await isAddressConfirmed(sql, projectId, await hashAddress(null, 'email', address)))) return index;
  }
  return null;
}
