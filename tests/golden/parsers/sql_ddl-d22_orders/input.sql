-- Orders placed by customers
CREATE TABLE IF NOT EXISTS shop.orders (  -- one row an order
  id BIGINT PRIMARY KEY, -- the order's id
  -- who bought
  customer_id INTEGER NOT NULL REFERENCES customers (id) ON DELETE CASCADE,
  state VARCHAR(20) DEFAULT 'open; or not' CHECK (state IN ('open', 'closed')),
  price NUMERIC(10, 2),
  -- no two of one state
  CONSTRAINT one_state UNIQUE (customer_id, state)
);
COMMENT ON COLUMN shop.orders.state IS 'open or closed';
CREATE INDEX orders_state ON shop.orders (state);
CREATE VIEW open_orders AS SELECT * FROM shop.orders WHERE state = 'open';
CREATE FUNCTION one() RETURNS int AS $$ BEGIN; RETURN 1; END $$ LANGUAGE plpgsql;
CREATE TABLE `legacy` (
  `a` int(11) NOT NULL AUTO_INCREMENT COMMENT 'it''s the a',
  PRIMARY KEY (`a`)
) ENGINE=InnoDB COMMENT='All that is old';
-- the end
