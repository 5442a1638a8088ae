import { z } from 'zod';
import type { AuditAction } from '../../platform/audit/actions.ts';
import type { Change } from '../../platform/audit/entry.ts';
import { readOnlyKey } from '../../platform/http/bodies/validate.ts';
import type { Answer, CheckRequest, Endpoint, Request, StepRequest } from '../../platform/http/endpoint/endpoint.ts';
import { type FieldError, Problem } from '../../platform/http/problem.ts';
import { variants } from '../../platform/openapi/variants.ts';
import { keyPattern } from '../document/merge.ts';
import type { Body, ConfigKind } from '../kinds/kind.ts';
import { orderedKinds } from '../kinds/kinds.ts';
import { namePatterns } from '../kinds/types.ts';
import { deleteOwners, findKey, findOwners, lockKeys, noDigest, setKey } from './store.ts';

const keySchema = z.string().regex(keyPattern).nullable().optional();

/** The endpoint that creates or changes a resource of documents, by which a client can name it with a key. */
export function takingKey(declared: Endpoint): Endpoint {
  const kind = orderedKinds.find(({ path }) => path === declared.path || `${path}/{id}` === declared.path);
  const takes = declared.method === 'post' || declared.method === 'patch';
  if (declared.kind !== 'transaction' || kind === undefined || kind.type in namePatterns || !takes) return declared;
  const { body, check, dryRun } = declared;
  if (body === null) return declared;
  return {
    ...declared,
    body: withKey(body),
    check: async (fields, request) => {
      const { key, ...others } = fields as Body;
      const own = key === undefined ? [] : await refuseManaged(request);
      return [...own, ...((await check?.(others, request)) ?? [])];
    },
    handle: async (request: Request<unknown, unknown, unknown>) => {
      const { key, ...others } = request.body as Body;
      if (key === undefined) return declared.handle(request);
      return handleWithKey(declared, kind, { ...request, body: others }, key as string | null);
    },
    ...(dryRun === undefined
      ? {}
      : {
          dryRun: {
            ...dryRun,
            handle: async (request: StepRequest<unknown, unknown, unknown>) => {
              const { key: _, ...others } = request.body as Body;
              return dryRun.handle({ ...request, body: others });
            },
          },
        }),
  };
}

function withKey(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodDiscriminatedUnion)
    return z.discriminatedUnion(
      schema.def.discriminator,
      schema.options.map(option => withKey(option as z.ZodType)) as [z.ZodObject, ...z.ZodObject[]],
    );
  if (!(schema instanceof z.ZodObject)) throw new Error('a body with a key must be an object');
  const meta = schema.meta() ?? {};
  const readOnly = ((meta[readOnlyKey] ?? []) as readonly string[]).filter(name => name !== 'key');
  const keyed = z.object({ ...schema.shape, key: keySchema }).meta({ ...meta, [readOnlyKey]: readOnly });
  const choice = variants.get(schema);
  return choice === undefined ? keyed : keyed.register(variants, choice);
}

/** Nobody else takes or loses a key until the transaction ends. */
async function refuseManaged({ sql, caller, params }: CheckRequest<unknown>): Promise<FieldError[]> {
  await lockKeys(sql, caller.projectId, 'shared');
  const { id } = params as { id?: string };
  const [owner] = id === undefined ? [] : await findOwners(sql, caller.projectId, [id]);
  if (owner?.managed_by == null) return [];
  return [{ pointer: '/key', code: 'read_only', detail: `is that of the documents of ${owner.managed_by}` }];
}

/** Throws `name_taken` if another resource has the key. */
async function handleWithKey(
  declared: Extract<Endpoint, { kind: 'transaction' }>,
  kind: ConfigKind,
  request: Request<unknown, unknown, unknown>,
  key: string | null,
): Promise<Answer> {
  const { sql, caller, params } = request;
  const known = (params as { id?: string }).id;
  const [owner] = known === undefined ? [] : await findOwners(sql, caller.projectId, [known]);
  const before = { key: owner?.key ?? null };
  let isRecorded = false;
  const record = (change: Change) => {
    isRecorded = true;
    const old = change.before === null ? null : { ...change.before, ...before };
    return request.record({ ...change, before: old, after: { ...change.after, key } });
  };
  const answer = await declared.handle({ ...request, record });
  const { id, name, title, status_page_id: pageId } = answer.body as Readonly<Record<string, string | undefined>>;
  const subject = String(id);
  const parentId = kind.type === 'components' ? String(pageId) : '';
  await giveKey(request, kind, { id: subject, parentId, key });
  if (!isRecorded) {
    const action = declared.audit?.[0] as AuditAction;
    await request.record({ action, subject, name: name ?? title ?? null, before, after: { key } });
  }
  return answer;
}

/** Null: it has none. Whoever else had the key may be gone. */
async function giveKey(
  { sql, caller, nowMs }: Pick<Request<unknown, unknown, unknown>, 'sql' | 'caller' | 'nowMs'>,
  kind: ConfigKind,
  { id, parentId, key }: { id: string; parentId: string; key: string | null },
): Promise<void> {
  const { projectId } = caller;
  const other = key === null ? null : await findKey(sql, projectId, { type: kind.type, parentId, key });
  const taken = new Problem('name_taken', { detail: `another resource has the key ${key}` });
  if (other !== null && other !== id) {
    const rows = await kind.rows(sql, projectId);
    if (rows.some(row => row.id === other)) throw taken;
    await deleteOwners(sql, projectId, [other]);
  }
  await deleteOwners(sql, projectId, [id]);
  if (key === null) return;
  const owner = { resource_id: id, type: kind.type, parent_id: parentId, key, managed_by: null, digest: noDigest };
  if (!(await setKey(sql, projectId, { ...owner, seen_at: nowMs }))) throw taken;
}
