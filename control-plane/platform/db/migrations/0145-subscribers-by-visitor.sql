-- Whether a visitor typed in the address: those that a token added take a place of the quota before they confirm. Null:
-- added by an earlier version.
alter table subscribers add column by_visitor boolean;
