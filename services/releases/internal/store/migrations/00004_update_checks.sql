-- +goose Up

-- How often installed apps looked for an update, by what they said of themselves: values that
-- are not known are 'other', and past a number of rows a day all new ones are. Nothing here is
-- about one app.
CREATE TABLE update_checks (
    day     date   NOT NULL,
    channel text   NOT NULL,
    version text   NOT NULL,
    arch    text   NOT NULL,
    macos   text   NOT NULL,
    count   bigint NOT NULL CHECK (count > 0),
    PRIMARY KEY (day, channel, version, arch, macos)
);
