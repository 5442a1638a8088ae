alter table monitors add column labels jsonb not null default '{}';

-- The monitor's labels when the alert opened.
alter table alerts add column labels jsonb not null default '{}';
