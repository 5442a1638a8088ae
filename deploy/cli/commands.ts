import { loginCommand } from './account/login.ts';
import { logoutCommand, profilesCommand, useCommand, whoamiCommand } from './account/profiles.ts';
import { eventCommands } from './analytics/events.ts';
import { releaseCommands } from './analytics/releases.ts';
import { userCommands } from './analytics/users.ts';
import { applyCommand } from './configuration/apply.ts';
import { exportCommand } from './configuration/export.ts';
import { diffCommand, planCommand } from './configuration/plan.ts';
import { releaseCommand } from './configuration/release.ts';
import { schemaCommand } from './configuration/schema.ts';
import type { Command } from './frame/command.ts';
import { completionCommand, helpCommand } from './frame/own-commands.ts';
import { importCommand } from './import/command.ts';
import { sendCommand } from './import/send.ts';
import { alertCommands } from './monitoring/alerts.ts';
import { backtestCommand } from './monitoring/backtest.ts';
import { checkNowCommand } from './monitoring/check-now.ts';
import { explainCommand } from './monitoring/explain.ts';
import { monitorCommands } from './monitoring/monitors.ts';
import { incidentCommands } from './publishing/incidents.ts';
import { apiCommand } from './raw/api.ts';
import { tailCommand } from './raw/tail.ts';

/** All commands, in the order of help. A new one is a line here. */
export const commands: readonly Command[] = [
  loginCommand,
  logoutCommand,
  profilesCommand,
  useCommand,
  whoamiCommand,
  planCommand,
  diffCommand,
  applyCommand,
  exportCommand,
  releaseCommand,
  schemaCommand,
  ...monitorCommands,
  checkNowCommand,
  ...alertCommands,
  explainCommand,
  backtestCommand,
  ...incidentCommands,
  ...releaseCommands,
  ...eventCommands,
  ...userCommands,
  tailCommand,
  apiCommand,
  importCommand,
  sendCommand,
  completionCommand(() => commands),
  helpCommand(() => ({ commands, nouns })),
];

/** What a noun's line of the overview says; without one, its commands. */
export const nouns: Readonly<Record<string, string>> = {
  import: 'Make documents of what another tool has, send its history',
};
