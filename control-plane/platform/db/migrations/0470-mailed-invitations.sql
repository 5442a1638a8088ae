-- An invitation to an address has a second secret, which is only in the email to it. Null: nothing was mailed.
alter table invitations add column if not exists mail_hash bytea;
create unique index if not exists invitations_mail_hash on invitations (mail_hash) where mail_hash is not null;
