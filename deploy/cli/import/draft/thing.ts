import type { Detail, Reported } from '../imported.ts';

/** One thing of a source, such as a monitor, and what became of each of its fields. It is reported once. */
export class Thing {
  readonly #type: string;
  readonly #name: string;
  readonly #sourceId: string;
  readonly #report: (reported: Reported) => void;
  readonly #details: Detail[] = [];

  constructor(type: string, name: string, sourceId: string, report: (reported: Reported) => void) {
    this.#type = type;
    this.#name = name;
    this.#sourceId = sourceId;
    this.#report = report;
  }

  get name(): string {
    return this.#name;
  }

  /** A field that has another value now. */
  changed(field: string, was: unknown, now: unknown, why: string): void {
    this.#details.push({ field, was, now, why });
  }

  /** A field that has no equivalent here. */
  dropped(field: string, was: unknown, why: string): void {
    this.#details.push({ field, was, now: null, why });
  }

  carried(key: string | null): void {
    this.#end(key, this.#details.length === 0 ? 'carried' : 'changed');
  }

  /** The whole of it has no equivalent here. */
  leftOut(why: string): void {
    this.#details.push({ field: '', was: null, now: null, why });
    this.#end(null, 'left_out');
  }

  #end(key: string | null, outcome: Reported['outcome']): void {
    const [type, name, source_id] = [this.#type, this.#name, this.#sourceId];
    this.#report({ type, name, source_id, key, outcome, details: this.#details });
  }
}
