import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

// Loaded before an agent with --import: while the file DISK_FAULT_FILE says so, each commit of its spool fails as on a
// full disk, or as when a sync fails. A real file system that fails would need root.
const file = process.env.DISK_FAULT_FILE ?? '';
const faults: Readonly<Record<string, { errcode: number; message: string }>> = {
  full: { errcode: 13, message: 'database or disk is full' },
  eio: { errcode: 1034, message: 'disk I/O error' },
};
const exec = DatabaseSync.prototype.exec;

DatabaseSync.prototype.exec = function (sql: string) {
  const fault = sql === 'commit' ? faults[readFault()] : undefined;
  if (fault === undefined) return exec.call(this, sql);
  throw Object.assign(new Error(fault.message), { code: 'ERR_SQLITE_ERROR', errcode: fault.errcode });
};

function readFault(): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
