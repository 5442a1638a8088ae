-- Where somebody signs out at the identity provider that a session came by.
alter table sessions add column logout_url text;
-- The host that a passkey belongs to; null: it was added before this column, and not used since.
alter table passkeys add column rp_id text;
