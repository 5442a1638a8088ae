import { countBoth, either, listUsers, type UserList, without } from './user-list.ts';

/** The users with an event in a period, or why they are not known. */
export type Known<Reason> = { users: UserList } | { unknown: Reason };

/** Of the users who started in a period, how many came back in it and in each one after it. */
export type Cohort<Reason> = { users: number | null; returned: (number | null)[]; reason: Reason | null };

/** Follows users from period to period. */
export class Cohorts<Reason> {
  readonly #rule: { isFirst: boolean; periods: number };
  readonly #cohorts: Cohort<Reason>[] = [];
  /** The users of each cohort; null if they are not known, or not followed any more. */
  readonly #members: (UserList | null)[] = [];
  /** Those who started in an earlier period. */
  #started: UserList = listUsers([]);
  /** Why these are not known. */
  #reason: Reason | null = null;

  /** With `isFirst` a user is in the cohort of the first period alone. Each is followed for `periods` more. */
  constructor(rule: { isFirst: boolean; periods: number }) {
    this.#rule = rule;
  }

  get cohorts(): readonly Cohort<Reason>[] {
    return this.#cohorts;
  }

  /** How many users are remembered. */
  get size(): number {
    return this.#members.reduce((sum, users) => sum + (users?.length ?? 0), this.#started.length);
  }

  /** Begins the cohort of the next period. */
  start(started: Known<Reason>): void {
    const users = this.#membersOf(started);
    const returned = Array.from({ length: this.#rule.periods + 1 }, () => null);
    const reason = 'unknown' in started ? started.unknown : null;
    this.#members.push(users);
    this.#cohorts.push({
      users: users?.length ?? null,
      returned,
      reason: users === null ? (this.#reason ?? reason) : null,
    });
  }

  /** Counts who of the cohorts so far returned in a period: its number in the range, from 0, ascending. */
  return(period: number, returned: Known<Reason>): void {
    const first = period - this.#rule.periods;
    for (const [start, users] of this.#members.entries()) {
      const cohort = this.#cohorts[start];
      if (users === null || cohort === undefined) continue;
      if ('unknown' in returned) cohort.reason ??= returned.unknown;
      else cohort.returned[period - start] = countBoth(users, returned.users);
      if (start === first) this.#members[start] = null;
    }
  }

  #membersOf(started: Known<Reason>): UserList | null {
    if (!this.#rule.isFirst) return 'unknown' in started ? null : started.users;
    if ('unknown' in started) this.#reason ??= started.unknown;
    if ('unknown' in started || this.#reason !== null) return null;
    const users = without(started.users, this.#started);
    this.#started = either(this.#started, users);
    return users;
  }
}
