import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { RecordChange } from '../../platform/audit/record.ts';
import { type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { originOf } from '../../platform/http/endpoint/recording.ts';
import { Problem } from '../../platform/http/problem.ts';
import { auditEndpoint } from '../../platform/projects/audit-routes.ts';
import { listProjectsOf } from '../members/store.ts';
import type { MembersChanged } from '../members/visits.ts';
import type { EmailPeople } from './account-news.ts';
import { changePerson, createLink, eraseOne } from './changes.ts';
import { personPatchSchema, personSchema, personStates, viewPerson } from './person.ts';
import { placesOf, recordEverywhere, recordIn } from './record.ts';
import { findPerson, listPeople } from './store.ts';

const tag = 'People';
/** For those who run the installation. */
const operators = {
  tag,
  scope: null,
  peopleOnly: true,
  operatorOnly: true,
  anywhere: true,
  pool: 'people',
} as const;
const params = z.object({ id: z.string().max(40) });

type PeopleServices = {
  baseUrl: string;
  recordChange: RecordChange;
  membersChanged: MembersChanged;
  emailPeople: EmailPeople;
};

/** Everybody, for those who run the installation. What ends a person's rights is recorded in all their projects. */
export function peopleEndpoints(services: PeopleServices): readonly Endpoint[] {
  const { baseUrl, recordChange, membersChanged, emailPeople } = services;
  return [
    endpoint({
      ...operators,
      method: 'get',
      path: '/v0/people',
      summary: 'List the people of the installation, newest first',
      query: z.strictObject({
        ...pageParameters,
        q: z.string().max(200).describe('Part of a name or an address.').optional(),
        state: z.enum(personStates).optional(),
      }),
      answers: { 200: listOf(personSchema) },
      handle: async ({ sql, query }) => {
        const filter = { q: query.q ?? null, state: query.state ?? null };
        const rows = await listPeople(sql, filter, readPage('people', query));
        return {
          status: 200,
          body: pageOf(
            'people',
            query,
            rows,
            row => [row.created_at, row.id],
            row => viewPerson(row),
          ),
        };
      },
    }),
    endpoint({
      ...operators,
      method: 'get',
      path: '/v0/people/{id}',
      summary: 'Get a person with their projects',
      operation: 'getPerson',
      params,
      answers: { 200: personSchema },
      handle: async ({ sql, params: { id } }) => {
        const row = await findPerson(sql, id);
        if (row === null) throw new Problem('not_found');
        return { status: 200, body: viewPerson(row, await listProjectsOf(sql, id)) };
      },
    }),
    endpoint({
      ...operators,
      method: 'patch',
      path: '/v0/people/{id}',
      summary: 'Let a person run the installation, or deactivate them',
      operation: 'updatePerson',
      confirmed: true,
      params,
      body: personPatchSchema,
      answers: { 200: personSchema },
      audit: ['person.updated'],
      handle: async ({ sql, caller, params: { id }, body, nowMs, requestId }) => {
        const { row, ...changed } = await changePerson(sql, id, body, membersChanged, nowMs);
        const about = { personId: id, origin: originOf({}, caller, requestId), ...changed };
        await recordEverywhere(sql, recordChange, about, nowMs);
        return { status: 200, body: viewPerson(row, await listProjectsOf(sql, id)) };
      },
    }),
    endpoint({
      ...operators,
      method: 'post',
      path: '/v0/people/{id}/link',
      summary: 'Make a link with which a person signs in once, within a day',
      operation: 'createSignInLink',
      confirmed: true,
      params,
      answers: { 201: z.object({ url: z.string(), expires_at: z.string() }) },
      audit: ['sign_in_link.created'],
      handle: async ({ sql, caller, params: { id }, nowMs, record }) => {
        if (id === caller.actor.id)
          throw new Problem('not_found', { detail: 'nobody makes a link for themselves: ask another operator' });
        const { url, expiresAt, change } = await createLink(sql, id, baseUrl, nowMs);
        await record(change);
        await emailPeople(sql, { personIds: [id], projectId: null }, { type: 'link_made', by: caller.actor.id }, nowMs);
        return { status: 201, body: { url, expires_at: toTimestamp(expiresAt) } };
      },
    }),
    endpoint({
      ...operators,
      method: 'delete',
      path: '/v0/people/{id}',
      summary: 'Erase a person: only the ID stays',
      operation: 'erasePerson',
      confirmed: true,
      params,
      answers: { 204: null },
      audit: ['person.erased'],
      handle: async ({ sql, caller, params: { id }, nowMs, requestId }) => {
        const places = await placesOf(sql, id);
        const erased = await eraseOne(sql, id, membersChanged, nowMs);
        await recordIn(sql, recordChange, { places, origin: originOf({}, caller, requestId), ...erased }, nowMs);
        return { status: 204 };
      },
    }),
    auditEndpoint({
      ...operators,
      path: '/v0/installation/audit',
      summary: 'List changes that belong to no project, newest first; with `Accept: application/x-ndjson` all',
      operation: 'listInstallationAudit',
      projectOf: () => null,
    }),
  ];
}
