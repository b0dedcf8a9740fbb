-- Large bodies are read in slices: of an uncompressed value PostgreSQL reads only the slice, and it does not try to compress mails
-- that are deleted once they are processed.
alter table inbound alter column body set storage external;
