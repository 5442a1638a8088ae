import { applyCommand } from './configuration/apply.ts';
import { exportCommand } from './configuration/export.ts';
import { planCommand } from './configuration/plan.ts';
import { releaseCommand } from './configuration/release.ts';
import { schemaCommand } from './configuration/schema.ts';
import type { Command } from './frame/command.ts';
import { completionCommand, helpCommand } from './frame/own-commands.ts';

/** All commands, in the order of help. A new one is a line here. */
export const commands: readonly Command[] = [
  planCommand,
  applyCommand,
  exportCommand,
  releaseCommand,
  schemaCommand,
  completionCommand(() => commands),
  helpCommand(() => ({ commands, nouns })),
];

/** What a noun's line of the overview says; without one, its commands. */
export const nouns: Readonly<Record<string, string>> = {};
