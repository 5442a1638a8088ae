import type { Options } from './options.ts';
import type { CommandServices } from './services.ts';

/** A command of the operator. */
export type Command = {
  options: string;
  summary: string;
  /** It changes nothing in the database, or commits by itself; else it runs in one transaction. */
  reads?: true;
  commits?: true;
  run(options: Options, services: CommandServices): Promise<unknown>;
};
