import { migrate } from '#control-plane/platform/db/schema/migrate.ts';

// Migrates the database of its argument and says each line to its parent, which may kill it at any point.
await migrate({
  connectionString: process.argv[2] ?? '',
  storage: 'auto',
  log: line => process.send?.(line),
});
process.disconnect?.();
