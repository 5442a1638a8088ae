/** The inputs of the server's settings. */
export type ServerSettings = {
  port: number;
  timescale: boolean;
  timescaleWorkers: number;
  /** Where processes share memory: `posix` needs a /dev/shm that the server's user may write to. */
  sharedMemory: 'posix' | 'sysv';
};

/** The complete postgresql.conf: loopback only, no telemetry, modest memory, durable. */
export function serverSettings({ port, timescale, timescaleWorkers, sharedMemory }: ServerSettings): string {
  const common: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Compiling costs more than it saves on short statements.
    jit: 'off',
    shared_buffers: '256MB',
    dynamic_shared_memory_type: sharedMemory,
    max_connections: 500,
    max_wal_size: '2GB',
    log_checkpoints: 'off',
    log_min_messages: 'warning',
  };
  const extension = {
    shared_preload_libraries: 'timescaledb',
    'timescaledb.telemetry_level': 'off',
    'timescaledb.max_background_workers': timescaleWorkers,
  };
  return toLines(timescale ? { ...common, ...extension } : common);
}

/** The complete pg_hba.conf: passwords over the loopback interface, nothing else. */
export const hostRules = 'host all all 127.0.0.1/32 scram-sha-256\n';

function toLines(settings: Record<string, string | number>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${value}'`}\n`)
    .join('');
}
