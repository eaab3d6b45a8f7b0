-- What the database refuses whatever a statement says. The triggers are in the migrations.

CREATE OR REPLACE FUNCTION credits_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: what was written stays', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

CREATE OR REPLACE FUNCTION credits_keep_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.created_at < now() - interval '31 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% of % is refused: what was written stays', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
