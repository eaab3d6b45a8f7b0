-- name: ListPackPrices :many
SELECT price_id, product_id, amount, currency FROM pack_prices;

-- PutPackPrice changes nothing when it is that already.
-- name: PutPackPrice :execrows
INSERT INTO pack_prices (price_id, product_id, amount, currency) VALUES (@price_id, @product_id, @amount, @currency)
ON CONFLICT (price_id) DO UPDATE SET product_id = EXCLUDED.product_id, amount = EXCLUDED.amount, currency = EXCLUDED.currency
WHERE (pack_prices.product_id, pack_prices.amount, pack_prices.currency) <> (EXCLUDED.product_id, EXCLUDED.amount, EXCLUDED.currency);

-- name: DropPackPrice :exec
DELETE FROM pack_prices WHERE price_id = @price_id;

-- name: PutPackOnItsWay :exec
INSERT INTO packs_on_their_way (checkout_id, user_id, credits, since) VALUES (@checkout_id, @user_id, @credits, @since)
ON CONFLICT (checkout_id) DO NOTHING;

-- name: DropPackOnItsWay :exec
DELETE FROM packs_on_their_way WHERE checkout_id = @checkout_id;

-- name: PacksOnTheirWayOf :many
SELECT credits, since FROM packs_on_their_way WHERE user_id = @user_id ORDER BY since, checkout_id;

-- name: PacksOnTheirWay :many
SELECT checkout_id FROM packs_on_their_way ORDER BY checkout_id;

-- name: ErasePacksOnTheirWay :exec
DELETE FROM packs_on_their_way WHERE user_id = @user_id;

-- name: LeavePacksOnTheirWay :exec
DELETE FROM packs_on_their_way;
