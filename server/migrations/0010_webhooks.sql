-- During a rotation the old secret signs as well. A webhook is failing since its first failure after its last success.
alter table webhooks
  add column old_secret_encrypted bytea,
  add column old_secret_until timestamptz,
  add column failing_since timestamptz;

-- How many attempts were made before the present round: a delivery that is asked for again gets the whole schedule.
alter table deliveries add column earlier_attempts integer not null default 0;

-- Where an attempt went; the webhook may point elsewhere by now.
alter table attempts add column url text;
