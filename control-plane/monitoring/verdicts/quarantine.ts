/** A quarantine of a region: for one project, or for all with null. */
export type QuarantineScope = { region: string; projectId: string | null };

/** Begin and end in milliseconds, where they are known; without an end it lasts. */
type Known = QuarantineScope & { since?: number; until?: number | null };

/** The quarantines that last, and those that ended lately. */
export class Quarantines {
  readonly #everywhere: ReadonlySet<string>;
  readonly #byProject: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #known: readonly Known[];

  constructor(known: readonly Known[]) {
    this.#known = known;
    const scopes = known.filter(({ until = null }) => until === null);
    this.#everywhere = new Set(scopes.flatMap(({ region, projectId }) => (projectId === null ? [region] : [])));
    const byProject = Map.groupBy(
      scopes.filter(scope => scope.projectId !== null),
      scope => scope.projectId ?? '',
    );
    this.#byProject = new Map(
      [...byProject].map(([projectId, own]) => [
        projectId,
        new Set([...this.#everywhere, ...own.map(({ region }) => region)]),
      ]),
    );
  }

  /** The regions whose votes do not count for a project. */
  of(projectId: string): ReadonlySet<string> {
    return this.#byProject.get(projectId) ?? this.#everywhere;
  }

  /** When a quarantine of one of the regions last began or ended for a project, in ms; -Infinity if not known. */
  changedAt(projectId: string, regions: readonly string[]): number {
    const isOf = (scope: QuarantineScope) => scope.projectId === null || scope.projectId === projectId;
    const own = this.#known.filter(scope => isOf(scope) && regions.includes(scope.region));
    return Math.max(Number.NEGATIVE_INFINITY, ...own.flatMap(({ since, until }) => until ?? since ?? []));
  }
}
