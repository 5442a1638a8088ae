import type { ConfigType } from '#shared/config-types.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';

/** A resource as plans read it: its names, and when it last changed. */
export type ResourceRow = {
  id: string;
  /** By which it is found without a key. */
  name: string;
  updated_at: number;
  /** Of channels and monitors, which cannot become another. */
  kind: string | null;
  /** The page of a component, '' for all others. */
  parent_id: string;
  /** What else a change of another resource changes in it. */
  also: string;
  /** What it holds beside its kind, in words, of which a newer version may know more. */
  holds: string;
};

export type Body = Readonly<Record<string, unknown>>;

/** What the change of a monitor brings about: regions check at once, votes end. */
export type Effects = { bumps: boolean; drops_votes: boolean };

/** An id, or a list of ids, in a body of the API that documents write by keys. */
export type Reference = {
  /** The members that lead to the object with it; `*` stands for each item. */
  within: readonly string[];
  /** Its name in documents, and in the API. */
  name: string;
  field: string;
  type: ConfigType;
};

/** A type of resource in documents. How it is validated and written is what its endpoints of the API do. */
export type ConfigKind = {
  type: ConfigType;
  /** The path of its list in the API. */
  path: string;
  scope: string;
  /** The name of its resource in the API's document. */
  resource: string;
  /** The member that names it. */
  named: 'name' | 'title' | 'slug';
  /** The prefix of its ids. */
  prefix: string;
  references: readonly Reference[];
  /** Members of the API's POST that documents do not have. */
  without: readonly string[];
  rows(sql: Sql, projectId: string): Promise<readonly ResourceRow[]>;
  /** Whether it holds what only a newer version knows: a change would lose that. */
  isNewer?(row: ResourceRow): boolean;
  /** Members of the API's body that may hold secrets. */
  secretMembers: readonly string[];
  /** Whether an item takes a member that it has by default; `all` is the item with its defaults. */
  takes?(all: Body, item: Body, member: string): boolean;
  /** Members that documents give as `{$env: NAME}` alone. */
  onlyFromEnvironment?: readonly string[];
  /** Where a valid body holds secrets in clear. */
  secretsOf?(body: Body): readonly string[];
  /** The body without names that would reveal what other projects have. `shown`: the resource as its reader sees it. */
  blind?(body: Body, shown: unknown): Body;
  /** The body of a resource that stands for one whose secrets are not known. */
  standIn?(body: Body): Body;
  /** A resource as it is, to say what its change brings about. */
  stored?(sql: Sql, keyring: Keyring, projectId: string, id: string): Promise<unknown>;
  effects?(before: unknown, after: unknown): Effects;
  /** The body of a PATCH that leaves nothing as it was, from the valid body of a POST. */
  whole?(body: Body): Body;
  /** Takes the locks of all changes at once, in the order of everybody else. */
  lock?(sql: Sql, projectId: string, ids: readonly string[]): Promise<unknown>;
};
