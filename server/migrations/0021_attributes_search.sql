-- A part of a text that contacts have as an attribute. Numbers, dates and times are not searched by their parts.
create index contact_attributes_search on contact_attributes using gin (attribute_id, value gin_trgm_ops)
  where number is null and time is null;
