import { personEmailSchema } from '../../access/invitations/invitation.ts';
import { viewMember } from '../../access/members/member.ts';
import { changeRole, removeMember } from '../../access/members/remove.ts';
import { findMember, listMembers, listProjectsOf, putMember } from '../../access/members/store.ts';
import { endVisits } from '../../access/members/visits.ts';
import { changePerson, createLink, eraseOne } from '../../access/people/changes.ts';
import { auditPerson, type PersonRow, viewPerson } from '../../access/people/person.ts';
import { placesOf, withEffects } from '../../access/people/record.ts';
import { findPerson, insertPerson, listPeople, listPeopleByEmail } from '../../access/people/store.ts';
import { endSessionsOf } from '../../access/sessions/store.ts';
import { emailPeople } from '../../delivery/notifications/queue-account-news.ts';
import { Problem } from '../../platform/http/problem.ts';
import { type Role, roles } from '../../platform/projects/roles.ts';
import type { Command } from './command-type.ts';
import { type Options, requireOption } from './options.ts';
import { requireProject } from './projects.ts';
import { madeEntry } from './record.ts';
import { type AdminServices, type CommandServices, defaultUrl } from './services.ts';

const listedMax = 10_000;

/** What the operator does with people. */
export const peopleCommands: Readonly<Record<string, Command>> = {
  'person create': {
    options: '--name NAME [--email EMAIL] [--operator] [--project ID --role viewer|responder|editor|admin]',
    summary: 'Create a person and print the link with which they sign in once, within a day.',
    run: createPerson,
  },
  'person link': {
    options: '[--id ID] [--email EMAIL]',
    summary: 'Print a new link with which a person signs in once, within a day.',
    run: printLink,
  },
  'person list': {
    options: '',
    summary: 'List all people.',
    reads: true,
    run: async (_, { sql }) =>
      (await listPeople(sql, { q: null, state: null }, { limit: listedMax, after: null })).map(row => viewPerson(row)),
  },
  'person update': {
    options: '--id ID [--operator yes|no] [--state active|deactivated]',
    summary: 'Let a person run the installation or not; deactivate a person, who is signed out at once.',
    run: updatePerson,
  },
  'person erase': {
    options: '--id ID --confirm ID',
    summary: 'Erase a person: only the ID stays.',
    run: erasePerson,
  },
  'member list': {
    options: '--project ID',
    summary: 'List the people of a project.',
    reads: true,
    run: async (options, { sql }) => {
      const { id } = await requireProject(options, sql);
      return (await listMembers(sql, id, { q: null, role: null }, { limit: listedMax, after: null })).map(viewMember);
    },
  },
  'member add': {
    options: '--project ID --person ID --role viewer|responder|editor|admin',
    summary: 'Make a person a member of a project, or change the role.',
    run: addMember,
  },
  'member remove': {
    options: '--project ID --person ID',
    summary: 'Remove a person from a project.',
    run: removeOne,
  },
  'session end': {
    options: '--person ID',
    summary: 'Sign a person out everywhere.',
    run: endSessions,
  },
};

async function createPerson(options: Options, services: CommandServices): Promise<unknown> {
  const { sql, nowMs, record } = services;
  const email = options.email === undefined ? null : requireEmail(options);
  const name = requireOption(options, 'name');
  if (name.length > 100) throw new Error('--name must have at most 100 characters.');
  const isMember = options.project !== undefined || options.role !== undefined;
  const role = isMember ? requireRole(options) : null;
  const project = isMember ? await requireProject(options, sql) : null;
  const person = await insertPerson(sql, { name, email, operator: options.operator !== undefined }, nowMs);
  await record(null, madeEntry('person.created', person.id, name, auditPerson(person)));
  if (project !== null && role !== null) await join(services, project.id, person, role);
  return { ...viewPerson(person, await listProjectsOf(sql, person.id)), ...(await linkOf(person.id, services)) };
}

async function printLink(options: Options, services: CommandServices): Promise<unknown> {
  const { sql, nowMs } = services;
  const { id } = await requirePerson(options, services);
  await emailPeople(sql, { personIds: [id], projectId: null }, { type: 'link_made', by: null }, nowMs);
  return { person_id: id, ...(await linkOf(id, services)) };
}

async function linkOf(id: string, { sql, config, nowMs, record }: CommandServices) {
  const made = await explained(() => createLink(sql, id, config.publicUrl ?? defaultUrl, nowMs));
  await record(null, made.change);
  return { url: made.url, expires_at: new Date(made.expiresAt).toISOString() };
}

async function updatePerson(options: Options, services: CommandServices): Promise<unknown> {
  const { sql, nowMs, record, membersChanged } = services;
  const id = requireOption(options, 'id');
  const { state, operator: rights } = options;
  if (state === undefined && rights === undefined) throw new Error('--operator or --state is required.');
  if (rights !== undefined && rights !== 'yes' && rights !== 'no') throw new Error('--operator must be yes or no.');
  if (state !== undefined && state !== 'active' && state !== 'deactivated')
    throw new Error('--state must be active or deactivated.');
  const operator = rights === undefined ? undefined : rights === 'yes';
  const { row, change, alsoIn } = await explained(() =>
    changePerson(sql, id, { operator, state }, membersChanged, nowMs),
  );
  for (const projectId of await placesOf(sql, id)) await record(projectId, withEffects(change, alsoIn, projectId));
  return viewPerson(row, await listProjectsOf(sql, id));
}

async function erasePerson(
  options: Options,
  { sql, nowMs, record, membersChanged }: CommandServices,
): Promise<unknown> {
  const id = requireOption(options, 'id');
  if (options.confirm !== id)
    throw new Error('This permanently erases the person. Repeat the id to confirm: --confirm ID.');
  const places = await placesOf(sql, id);
  const { change, alsoIn } = await explained(() => eraseOne(sql, id, membersChanged, nowMs));
  for (const projectId of places) await record(projectId, withEffects(change, alsoIn, projectId));
  return { erased: id };
}

async function addMember(options: Options, services: CommandServices): Promise<unknown> {
  const { sql, nowMs, record } = services;
  const role = requireRole(options);
  const project = await requireProject(options, sql);
  const personId = requireOption(options, 'person');
  const person = await findPerson(sql, personId);
  if (person === null || person.state === 'erased') throw new Error(noPerson);
  if ((await findMember(sql, project.id, personId)) === null) await join(services, project.id, person, role);
  else
    await record(project.id, await explained(() => changeRole(sql, { projectId: project.id, personId }, role, nowMs)));
  const member = await findMember(sql, project.id, personId);
  return member === null ? null : viewMember(member);
}

async function removeOne(options: Options, { sql, nowMs, record, membersChanged }: CommandServices): Promise<unknown> {
  const project = await requireProject(options, sql);
  const target = { projectId: project.id, personId: requireOption(options, 'person') };
  const how = { tokens: 'keep', leaves: false } as const;
  await record(project.id, await explained(() => removeMember(sql, target, how, nowMs)));
  await membersChanged(sql, [project.id], nowMs);
  return { removed: target.personId };
}

async function endSessions(
  options: Options,
  { sql, nowMs, record, membersChanged }: CommandServices,
): Promise<unknown> {
  const id = requireOption(options, 'person');
  const person = await findPerson(sql, id);
  if (person === null) throw new Error(noPerson);
  const ended = await endSessionsOf(sql, id, null, nowMs);
  await endVisits(sql, { personId: id, resting: null }, membersChanged, nowMs);
  const before = { sessions: ended.length, reason: 'operator' };
  const change = { action: 'session.ended', subject: id, name: person.name, before, after: null } as const;
  for (const projectId of await placesOf(sql, id)) await record(projectId, change);
  return { ended: ended.length };
}

async function join(
  { sql, nowMs, record, membersChanged }: CommandServices,
  projectId: string,
  { id, name }: PersonRow,
  role: Role,
): Promise<void> {
  await putMember(sql, projectId, id, role, nowMs);
  await membersChanged(sql, [projectId], nowMs);
  await record(projectId, madeEntry('member.added', id, name, { role }));
}

const noPerson = 'Person not found. `person list` lists all people.';

/** The person of `--id`, or the only one of `--email`. */
async function requirePerson(options: Options, { sql }: AdminServices): Promise<PersonRow> {
  const found =
    options.id !== undefined
      ? [await findPerson(sql, requireOption(options, 'id'))]
      : await listPeopleByEmail(sql, requireEmail(options));
  const people = found.filter(person => person !== null && person.state !== 'erased');
  const [person, ...others] = people;
  if (person === undefined || person === null) throw new Error(noPerson);
  if (others.length > 0)
    throw new Error(`Several people have the address: ${people.map(one => one?.id).join(', ')}. Use --id.`);
  return person;
}

function requireEmail(options: Options): string {
  const parsed = personEmailSchema.safeParse(requireOption(options, 'email'));
  if (!parsed.success) throw new Error('--email must be an email address.');
  return parsed.data;
}

function requireRole(options: Options): Role {
  const role = roles.find(name => name === options.role);
  if (role === undefined) throw new Error(`--role must be one of ${roles.join(', ')}.`);
  return role;
}

/** What the API refuses, as a sentence for the operator. */
async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'not_found') throw new Error(noPerson, { cause: error });
    if (error.code === 'member_by_group')
      throw new Error('The person is a member by a group: take them out of it, or remove the role of the group.', {
        cause: error,
      });
    if (error.code === 'last_admin')
      throw new Error('Nobody would be left to administer it. Make somebody else admin or operator first.', {
        cause: error,
      });
    throw error;
  }
}
