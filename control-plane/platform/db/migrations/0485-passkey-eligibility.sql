-- Whether the passkey may be synced, which never changes; null: it was added before this column, and not used since.
alter table passkeys add column if not exists backup_eligible boolean;
