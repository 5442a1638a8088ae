import { z } from 'zod';
import { findAlert } from '../../monitoring/alerts/store.ts';
import { findMaintenance } from '../../monitoring/maintenances/store.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { allows, type Caller } from '../../platform/http/endpoint/caller.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, type PageKey, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { commaList } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import { findIncident } from '../../publishing/incidents/store.ts';
import { deliverySchemaFor, deliveryStates } from './delivery.ts';
import {
  type ChannelNames,
  type DeliveryFilter,
  type DeliveryRow,
  deliveryTopics,
  findDelivery,
  listDeliveries,
  lockDelivery,
  replayDelivery,
  viewDelivery,
} from './store.ts';

const params = z.object({ id: z.string().max(40) });
const tag = 'Deliveries';

type ChannelTypes = readonly [string, ...string[]];

/** What deliveries ask of channels, which belong to another wing. Bound in control-plane/roles/wings.ts. */
type Channels = {
  /** The types that there are. */
  types: ChannelTypes;
  exists: (sql: Sql, projectId: string, id: string) => Promise<boolean>;
  readNames: (sql: Sql, projectId: string, ids: readonly string[]) => Promise<ChannelNames>;
};

export type DeliveryEndpointServices = { keyring: Keyring; channels: Channels };

type Listing = { sql: Sql; caller: Caller; query: z.output<ReturnType<typeof querySchema>> };

/** Notifications sent, queued and failed. */
export function deliveryEndpoints({ keyring, channels }: DeliveryEndpointServices): readonly Endpoint[] {
  const deliverySchema = deliverySchemaFor(channels.types);
  const query = querySchema(channels.types);
  const viewer = async (sql: Sql, caller: Caller, rows: readonly DeliveryRow[]) => {
    const ids = rows.flatMap(row => row.channel_id ?? []);
    const names = await channels.readNames(sql, caller.projectId, [...new Set(ids)]);
    const rights = {
      subscribers: allows(caller.scopes, 'subscribers:read'),
      webhooks: allows(caller.scopes, 'project:write'),
    };
    return (row: DeliveryRow) => viewDelivery(row, keyring, rights, names);
  };
  const list = async (
    { sql, caller, query }: Listing,
    name: string,
    about: DeliveryFilter['about'],
    topics: DeliveryFilter['topics'] = null,
  ) => {
    const filter: DeliveryFilter = { about, topics, states: query.state ?? null, channels: query.channel ?? null };
    const rows = await listDeliveries(sql, caller.projectId, filter, readPage(name, query));
    const keyOf = (row: DeliveryRow): PageKey => [row.created_at, row.id];
    return { status: 200, body: pageOf(name, query, rows, keyOf, await viewer(sql, caller, rows)) };
  };
  return [
    endpoint({
      method: 'get',
      path: '/v0/incidents/{id}/deliveries',
      summary: 'List the deliveries of an incident with their attempts, newest first',
      tag,
      scope: 'incidents:read',
      params,
      query,
      answers: { 200: listOf(deliverySchema) },
      handle: async request => {
        const { sql, caller, params } = request;
        if ((await findIncident(sql, caller.projectId, params.id)) === null) throw new Problem('not_found');
        return list(request, `deliveries ${params.id}`, { incidentId: params.id });
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/alerts/{id}/deliveries',
      summary: 'List the deliveries of an alert and of its group with their attempts, newest first',
      tag,
      scope: 'alerts:read',
      params,
      query,
      answers: { 200: listOf(deliverySchema) },
      handle: async request => {
        const { sql, caller, params } = request;
        if ((await findAlert(sql, caller.projectId, params.id)) === null) throw new Problem('not_found');
        return list(request, `deliveries ${params.id}`, { alertId: params.id });
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/channels/{id}/deliveries',
      summary: 'List the deliveries to a channel with their attempts, newest first',
      tag,
      scope: 'channels:read',
      params,
      query,
      answers: { 200: listOf(deliverySchema) },
      handle: async request => {
        const { sql, caller, params } = request;
        if (!(await channels.exists(sql, caller.projectId, params.id))) throw new Problem('not_found');
        return list(request, `deliveries ${params.id}`, { channelId: params.id });
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/maintenances/{id}/deliveries',
      summary: 'List the deliveries of a maintenance window with their attempts, newest first',
      tag,
      scope: 'maintenances:read',
      params,
      query,
      answers: { 200: listOf(deliverySchema) },
      handle: async request => {
        const { sql, caller, params, nowMs } = request;
        const found = await findMaintenance(sql, caller.projectId, params.id, nowMs);
        if (found === null) throw new Problem('not_found');
        return list(request, `deliveries ${params.id}`, { maintenanceId: params.id });
      },
    }),
    endpoint({
      method: 'get',
      path: '/v0/deliveries',
      summary:
        'List deliveries, sent and queued, newest first; those about alerts need `alerts:read` as well, those about ' +
        'maintenance `maintenances:read`, those about members `members:read`',
      tag,
      scope: 'incidents:read',
      query,
      answers: { 200: listOf(deliverySchema) },
      handle: request => {
        const topics = deliveryTopics.filter(topic => allows(request.caller.scopes, `${topic}:read`));
        return list(request, 'deliveries', {}, topics.length === deliveryTopics.length ? null : topics);
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/deliveries/{id}/replay',
      summary:
        'Replay a failed or held delivery; one about an alert needs `alerts:write` as well, one about maintenance ' +
        '`maintenances:write`, one about members `members:write`',
      tag,
      scope: 'incidents:write',
      params,
      answers: { 200: deliverySchema },
      audit: ['delivery.replayed'],
      handle: async ({ sql, caller, params, nowMs, record }) => {
        const locked = await lockDelivery(sql, caller.projectId, params.id);
        if (locked === null) throw new Problem('not_found');
        const { topic, ...before } = locked;
        if (!allows(caller.scopes, `${topic}:write`))
          throw new Problem('insufficient_scope', { detail: `replaying this delivery needs the scope ${topic}:write` });
        const replayed = await replayDelivery(sql, caller.projectId, params.id, nowMs);
        const row = await findDelivery(sql, caller.projectId, params.id);
        if (row === null) throw new Problem('not_found');
        if (!replayed) throw new Problem('delivery_not_replayable', { detail: `the delivery is ${row.state}` });
        const after = { state: row.state, attempts: row.attempts };
        await record({ action: 'delivery.replayed', subject: params.id, name: null, before, after });
        const view = await viewer(sql, caller, [row]);
        return { status: 200, body: view(row) };
      },
    }),
  ];
}

function querySchema(channelTypes: ChannelTypes) {
  return z.strictObject({
    ...pageParameters,
    state: commaList(deliveryStates).optional(),
    channel: commaList(channelTypes).optional(),
  });
}
