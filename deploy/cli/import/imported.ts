/** Where a document names a value of the environment. */
export type EnvReference = { $env: string };

export type Item = Readonly<Record<string, unknown>>;

/** What became of a field of a thing. `was` and `now` never hold a secret; `now` is null for what has no equivalent. */
export type Detail = { field: string; was: unknown; now: unknown; why: string };

/** What became of one thing of the source. `key` is that of its resource, null without one. */
export type Reported = {
  type: string;
  name: string;
  source_id: string;
  key: string | null;
  outcome: 'carried' | 'changed' | 'left_out';
  details: readonly Detail[];
};

/** From `since` on a monitor had this verdict. `estimated`: how long it lasted is known, but not when it began. */
export type HistoryRow = { since: number; verdict: 'up' | 'down' | 'paused' | 'undetermined'; estimated: boolean };

/** The history of the monitor with this key; times are milliseconds since 1970. */
export type MonitorHistory = { key: string; from: number; until: number; rows: readonly HistoryRow[] };

/** What an importer makes of a source: documents of the configuration, values of their secrets, and a report. */
export type Imported = {
  source: string;
  /** Of the tool that the source is of, as far as the source says it. */
  version: string | null;
  document: Item;
  env: Readonly<Record<string, string>>;
  items: readonly Reported[];
  history: readonly MonitorHistory[];
  incidents: readonly Item[];
  subscribers: readonly Item[];
};

/** What a person chose for an import. */
export type Choices = {
  manager: string;
  regions: readonly string[];
  withHistory: boolean;
  /** Variables that a source may refer to. */
  environment: Readonly<Record<string, string | undefined>>;
  nowMs: number;
};

/** A file of the source, with its path as it was given. */
export type SourceFile = { path: string; text: string };

/** The source is not what the importer reads; the message is one sentence for whoever gave it. */
export class SourceError extends Error {
  override name = 'SourceError';
}
